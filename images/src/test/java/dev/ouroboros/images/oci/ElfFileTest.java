package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.binary.Architecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ElfFileTest {
    @TempDir
    private Path directory = Path.of("");

    private final Architecture architecture = Architecture.of(System.getProperty("os.arch"));

    @Test
    void readsWhatADynamicProgramNeeds() {
        ElfFile shell = ElfFile.read(Path.of("/bin/sh").toAbsolutePath()).orElseThrow();

        assertThat(shell.interpreter()).isPresent();
        assertThat(shell.needed()).anyMatch(name -> name.startsWith("libc."));
    }

    @Test
    void aStaticProgramNeedsNothing() throws IOException {
        Path program = Files.write(directory.resolve("pause"), PauseProgram.bytes());

        assertThat(ElfFile.read(program)).contains(new ElfFile(java.util.Optional.empty(), List.of()));
    }

    @Test
    void aScriptIsNoElfFile() throws IOException {
        assertThat(ElfFile.read(Files.writeString(directory.resolve("script"), "#!/bin/sh\n")))
                .isEmpty();
        assertThat(ElfFile.read(Files.writeString(directory.resolve("long"), "#".repeat(500))))
                .isEmpty();
    }

    @Test
    void findsAllLibrariesAndTheDynamicLinker() {
        SharedLibraries libraries = new SharedLibraries(List.of(directory, Path.of("/")), architecture);

        assertThat(libraries.closure(List.of(Path.of("/bin/sh"))).keySet())
                .anyMatch(path -> path.contains("/ld-linux"))
                .contains("/lib/" + architecture.libraryDirectory() + "/libc.so.6");
    }

    @Test
    void namesTheLibraryThatIsMissing() {
        SharedLibraries libraries = new SharedLibraries(List.of(directory), architecture);

        assertThatThrownBy(() -> libraries.closure(List.of(Path.of("/bin/sh"))))
                .hasMessageContaining("/bin/sh")
                .hasMessageContaining("ld-linux");
    }
}
