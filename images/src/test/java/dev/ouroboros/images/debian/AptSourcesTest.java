package dev.ouroboros.images.debian;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AptSourcesTest {
    @Test
    void offersSourcePackagesOfEveryStanza() {
        String converted = AptSources.convertStanzas("""
                Types: deb
                # a comment in the middle
                URIs: http://mirror.test/debian
                Suites: bookworm bookworm-updates
                Components: main
                Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

                Types: deb deb-src
                URIs: http://mirror.test/security
                Suites: bookworm-security
                Components: main
                """);

        assertThat(converted).isEqualTo("""
                Types: deb deb-src
                URIs: http://mirror.test/debian
                Suites: bookworm bookworm-updates
                Components: main
                Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

                Types: deb deb-src
                URIs: http://mirror.test/security
                Suites: bookworm-security
                Components: main
                """);
    }

    @Test
    void keepsAnEmbeddedKeyWithItsField() {
        String converted = AptSources.convertStanzas("""
                types: deb
                URIs: http://mirror.test/debian
                Suites: bookworm
                Components: main
                Signed-By:
                 -----BEGIN PGP PUBLIC KEY BLOCK-----
                 .
                 abc
                 -----END PGP PUBLIC KEY BLOCK-----
                """);

        assertThat(converted)
                .contains("Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n -----END")
                .startsWith("Types: deb deb-src\n");
    }

    @Test
    void leavesOutDisabledStanzasMediaAndTextThatIsNoStanza() {
        String converted = AptSources.convertStanzas("""
                Enabled: no
                Types: deb
                URIs: http://mirror.test/a
                Suites: x
                Components: main

                Types: deb
                URIs: cdrom:[Debian 12]/
                Suites: x
                Components: main

                # only a comment
                """);

        assertThat(converted).isEmpty();
    }

    @Test
    void mergesTheStanzasOfBinaryAndSourcePackages() {
        String stanza = "URIs: http://mirror.test/debian\nSuites: bookworm\nComponents: main\n";

        assertThat(AptSources.convertStanzas("Types: deb\n" + stanza + "\nTypes: deb-src\n" + stanza))
                .isEqualTo("Types: deb deb-src\n" + stanza);
    }

    @Test
    void convertsOneLineEntriesWithOptionsAndComments() {
        String converted = AptSources.convertList("""
                # deb http://mirror.test/commented bookworm main
                deb [arch=amd64 signed-by=/k.gpg] http://mirror.test/debian bookworm main contrib # trailing
                deb-src [arch=amd64 signed-by=/k.gpg] http://mirror.test/debian bookworm main contrib

                deb cdrom:[Debian]/ bookworm main
                not an entry
                """);

        assertThat(converted).isEqualTo("""
                deb [arch=amd64 signed-by=/k.gpg] http://mirror.test/debian bookworm main contrib
                deb-src [arch=amd64 signed-by=/k.gpg] http://mirror.test/debian bookworm main contrib
                """);
    }

    @Test
    void convertsFlatRepositories() {
        assertThat(AptSources.convertList("deb http://mirror.test/flat ./\n"))
                .isEqualTo("deb http://mirror.test/flat ./\ndeb-src http://mirror.test/flat ./\n");
    }
}
