package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Which modules are published, and what the build files say of them. */
class PublishedModulesTest {
    /** Tests run in their module's folder. */
    private static final Path ROOT = Path.of("../..");

    private static final Path BOM = ROOT.resolve("framework/bom/pom.xml");

    @Test
    void theBomNamesAllPublishedModulesAndNothingElse() throws Exception {
        TreeSet<String> published = new TreeSet<>();
        for (Element pom : modulePoms()) {
            if (isPublished(pom)) {
                published.add(text(pom, "artifactId"));
            }
        }
        assertThat(published).isNotEmpty();
        TreeSet<String> managed = new TreeSet<>();
        Element dependencies = child(child(read(BOM), "dependencyManagement"), "dependencies");
        for (Element dependency : children(dependencies)) {
            assertThat(text(dependency, "groupId")).isEqualTo("io.millrace");
            assertThat(text(dependency, "version")).isEqualTo("${project.version}");
            managed.add(text(dependency, "artifactId"));
        }
        assertThat(managed).isEqualTo(published);
    }

    @Test
    void theBomInheritsNothingAndHasTheVersionOfTheRest() throws Exception {
        Element bom = read(BOM);
        assertThat(children(bom)).noneMatch(element -> element.getTagName().equals("parent"));
        assertThat(text(bom, "version")).isEqualTo(text(read(ROOT.resolve("pom.xml")), "version"));
        Element starter = read(ROOT.resolve("functions/starter/pom.xml"));
        assertThat(text(child(starter, "properties"), "millrace.version")).isEqualTo(text(bom, "version"));
    }

    @Test
    void publishedModulesSayWhatTheyAreAndBringTheirSources() throws Exception {
        for (Element pom : modulePoms()) {
            if (isPublished(pom)) {
                assertThat(text(pom, "name")).startsWith("Millrace ");
                assertThat(text(pom, "description")).hasSizeGreaterThan(20);
                assertThat(pom.getTextContent()).contains("maven-source-plugin");
            }
        }
    }

    private static boolean isPublished(Element pom) {
        return children(pom).stream()
                .filter(element -> element.getTagName().equals("properties"))
                .flatMap(properties -> children(properties).stream())
                .noneMatch(property -> property.getTagName().equals("maven.deploy.skip"));
    }

    /** The modules but the BOM itself. */
    private static List<Element> modulePoms() throws Exception {
        List<Element> poms = new ArrayList<>();
        for (Element module : children(child(read(ROOT.resolve("pom.xml")), "modules"))) {
            Path pom = ROOT.resolve(module.getTextContent()).resolve("pom.xml");
            if (!pom.equals(BOM)) {
                poms.add(read(pom));
            }
        }
        return poms;
    }

    private static Element read(Path pom) throws IOException, SAXException, ParserConfigurationException {
        assertThat(Files.exists(pom)).as("%s is there", pom.toAbsolutePath()).isTrue();
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(pom.toFile())
                .getDocumentElement();
    }

    private static String text(Element parent, String name) {
        return child(parent, name).getTextContent();
    }

    private static Element child(Element parent, String name) {
        return children(parent).stream()
                .filter(element -> element.getTagName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(parent.getTagName() + " has no " + name));
    }

    private static List<Element> children(Element parent) {
        List<Element> children = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }
}
