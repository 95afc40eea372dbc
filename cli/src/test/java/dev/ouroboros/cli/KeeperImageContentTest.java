package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.dns.DnsMain;
import dev.ouroboros.images.oci.JavaRuntime;
import dev.ouroboros.keeper.KeeperMain;
import dev.ouroboros.steward.StewardMain;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** What the keeper's image holds of Java: each jar and module costs memory on every control-plane node, so none comes by chance. */
class KeeperImageContentTest {
    @Test
    void hasTheseJarsAndNoOthers() throws IOException, URISyntaxException {
        Path jar = Path.of(KeeperMain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assumeTrue(Files.isRegularFile(jar), "the keeper was compiled and not packaged: mvn verify");

        assertThat(named(jar))
                .containsExactlyInAnyOrder(
                        "api",
                        "endpoint",
                        "jackson-core",
                        "jspecify",
                        "model",
                        "node",
                        "runtime",
                        "slf4j-api",
                        "slf4j-jdk14");
    }

    @Test
    void theDnsHasTheseJarsAndNoOthers() throws IOException, URISyntaxException {
        Path jar = Path.of(DnsMain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assumeTrue(Files.isRegularFile(jar), "the DNS was compiled and not packaged: mvn verify");

        assertThat(named(jar))
                .containsExactlyInAnyOrder(
                        "api",
                        "dnsjava",
                        "endpoint",
                        "jackson-core",
                        "jspecify",
                        "model",
                        "node",
                        "slf4j-api",
                        "slf4j-jdk14");
    }

    /** It signs and reads certificates, which the others leave to nobody: without that library it would fail at its first look. */
    @Test
    void theStewardHasWhatSignsCertificatesAndNothingOfTheCommandLine() throws IOException, URISyntaxException {
        Path jar = Path.of(StewardMain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assumeTrue(Files.isRegularFile(jar), "the steward was compiled and not packaged: mvn verify");

        assertThat(named(jar))
                .contains("bcpkix-jdk18on", "bcprov-jdk18on", "change", "etcd", "render")
                .doesNotContain("picocli", "images", "sandbox", "upgrade");
    }

    /** The class path of its manifest, from which the image is made, without versions. */
    private static List<String> named(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            String classPath = file.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            return Arrays.stream(classPath.split(" "))
                    .map(name -> name.replaceFirst("-\\d.*", ""))
                    .toList();
        }
    }

    @Test
    void hasTheseModulesAndNoOthers() {
        assertThat(JavaRuntime.MODULES).containsExactlyInAnyOrder("java.base", "java.logging");
    }
}
