package dev.ouroboros.images.debian;

import java.nio.file.Path;
import java.util.List;

/** Which of Debian's Go packages can build which Kubernetes. */
final class GoPackages {
    /** 1.24 is the last Kubernetes that was released with a Go older than 1.19. */
    private static final int LAST_MINOR_FOR_OLD_GO = 24;

    private GoPackages() {}

    /**
     * The packages in the order in which they are tried. Kubernetes 1.20 was released with Go 1.15; Debian 12 builds its
     * package with 1.19. The distribution's default comes last for old sources, as a newer Go may refuse them, and first
     * for new ones.
     */
    static List<String> inOrder(SourceVersion version) {
        return version.minor() <= LAST_MINOR_FOR_OLD_GO
                ? List.of(
                        "golang-1.19-go",
                        "golang-1.18-go",
                        "golang-1.17-go",
                        "golang-1.16-go",
                        "golang-1.15-go",
                        "golang-go")
                : List.of("golang-go", "golang-1.24-go", "golang-1.23-go");
    }

    /** Where a package has its {@code go} command. */
    static Path programs(String name) {
        String directory = name.equals("golang-go") ? "go" : name.replaceFirst("^golang-(.+)-go$", "go-$1");
        return Path.of("/usr/lib", directory, "bin");
    }
}
