package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
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
    void saysThatAProgramIsCutShort() throws IOException {
        byte[] whole = Files.readAllBytes(Path.of("/bin/sh"));
        Path cut = Files.write(directory.resolve("kubelet"), Arrays.copyOf(whole, 128));

        Refusal.of(() -> ElfFile.read(cut), ErrorCode.DAMAGED_FILE)
                .where(cut)
                .nextContains("another source of binaries");
        Refusal.of(() -> ElfFile.read(directory), ErrorCode.DISK).where(directory);
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

    /** A plugin names no dynamic linker, but libraries as a program does. */
    @Test
    void namesTheLibraryThatAPluginMisses() {
        Path plugin = Path.of(System.getProperty("java.home"), "lib/libjava.so");
        SharedLibraries libraries = new SharedLibraries(List.of(directory), architecture);

        assertThatThrownBy(() -> libraries.closure(List.of(plugin), Set.of("libjvm.so")))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.MISSING_TOOL);
                                    assertThat(problem.where()).isEqualTo(plugin.toString());
                                    assertThat(problem.what())
                                            .startsWith("needs the shared library lib")
                                            .endsWith(", which is not in [" + directory + "]");
                                    assertThat(problem.next()).startsWith("install the library");
                                }));
    }
}
