package io.millrace.local.internal.s3;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/** Writes the XML documents that S3 answers. Not thread-safe. */
final class XmlOutput {
    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

    private final XMLStreamWriter writer;

    private XmlOutput(XMLStreamWriter writer) {
        this.writer = writer;
    }

    /** A document in the namespace of S3. */
    static byte[] document(String root, Consumer<XmlOutput> content) {
        return document(root, NAMESPACE, content);
    }

    /** An error document, which is in no namespace. */
    static byte[] error(Consumer<XmlOutput> content) {
        return document("Error", "", content);
    }

    private static byte[] document(String root, String namespace, Consumer<XmlOutput> content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            XMLStreamWriter writer =
                    XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(bytes, StandardCharsets.UTF_8.name());
            writer.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
            writer.writeStartElement(root);
            if (!namespace.isEmpty()) {
                writer.writeDefaultNamespace(namespace);
            }
            content.accept(new XmlOutput(writer));
            writer.writeEndElement();
            writer.writeEndDocument();
            writer.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("The document " + root + " cannot be written", e);
        }
        return bytes.toByteArray();
    }

    XmlOutput element(String name, Object text) {
        return element(name, inside -> inside.text(text.toString()));
    }

    /** Writes the element unless there is no text. */
    XmlOutput optional(String name, @Nullable Object text) {
        return text == null ? this : element(name, text);
    }

    XmlOutput element(String name, Consumer<XmlOutput> content) {
        try {
            writer.writeStartElement(name);
            content.accept(this);
            writer.writeEndElement();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("The element " + name + " cannot be written", e);
        }
        return this;
    }

    private void text(String text) {
        try {
            // A bare carriage return would be read as a line feed.
            int start = 0;
            for (int at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', start)) {
                writer.writeCharacters(text.substring(start, at));
                writer.writeEntityRef("#13");
                start = at + 1;
            }
            writer.writeCharacters(text.substring(start));
        } catch (XMLStreamException e) {
            throw new IllegalStateException("The text '" + text + "' cannot be written", e);
        }
    }
}
