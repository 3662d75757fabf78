package io.millrace.local.internal.s3;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * An element of a request's XML document. Document types and with them entities are refused.
 *
 * @param text the text that stands directly in the element, as it is
 */
record XmlElement(String name, String text, List<XmlElement> children) {
    private static final int DEPTH_MAX = 8;

    /**
     * Reads a document; refuses with {@code MalformedXML} what is none, is larger than {@code bytesMax}, or has another root.
     */
    static XmlElement read(byte[] document, String root, int bytesMax) {
        if (document.length > bytesMax) {
            throw S3Errors.malformedXml();
        }
        try {
            XMLStreamReader reader = factory().createXMLStreamReader(new ByteArrayInputStream(document));
            while (reader.next() != XMLStreamConstants.START_ELEMENT) {
                if (reader.getEventType() == XMLStreamConstants.DTD) {
                    throw S3Errors.malformedXml();
                }
            }
            XmlElement element = element(reader, 1);
            while (reader.hasNext()) {
                reader.next();
            }
            if (!element.name().equals(root)) {
                throw S3Errors.malformedXml();
            }
            return element;
        } catch (XMLStreamException e) {
            throw S3Errors.malformedXml();
        }
    }

    /** The children of that name. */
    List<XmlElement> all(String childName) {
        return children.stream().filter(child -> child.name().equals(childName)).toList();
    }

    /** The text of the only child of that name, or null if there is none. */
    @Nullable
    String optional(String childName) {
        List<XmlElement> found = all(childName);
        if (found.size() > 1) {
            throw S3Errors.malformedXml();
        }
        return found.isEmpty() ? null : found.get(0).text();
    }

    /** The text of the only child of that name. */
    String required(String childName) {
        String found = optional(childName);
        if (found == null || found.isEmpty()) {
            throw S3Errors.malformedXml();
        }
        return found;
    }

    private static XmlElement element(XMLStreamReader reader, int depth) throws XMLStreamException {
        if (depth > DEPTH_MAX) {
            throw S3Errors.malformedXml();
        }
        String name = reader.getLocalName();
        StringBuilder text = new StringBuilder();
        List<XmlElement> children = new ArrayList<>();
        for (int event = reader.next(); event != XMLStreamConstants.END_ELEMENT; event = reader.next()) {
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> children.add(element(reader, depth + 1));
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
                    text.append(reader.getText());
                case XMLStreamConstants.COMMENT, XMLStreamConstants.PROCESSING_INSTRUCTION -> {}
                default -> throw S3Errors.malformedXml();
            }
        }
        return new XmlElement(name, text.toString(), List.copyOf(children));
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }
}
