package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is fixed about a component is said once, in {@link Component}: no other code has its name or a port of it as a literal. */
final class ComponentLiteralsTest {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    /** Values of annotations, which have to be literals. */
    private static final Set<String> EXCUSED = Set.of("ChangeCommand.java: defaultValue = \"kube-apiserver\",");

    /** A port that everybody has for something is not looked for: 53. A name without a dash is also a word: etcd, kubelet. */
    private static final Pattern LITERALS = Pattern.compile(Stream.concat(
                    Arrays.stream(Component.values())
                            .map(Component::id)
                            .filter(id -> id.contains("-"))
                            .map(id -> "\"" + id + "\""),
                    ports().mapToObj(port -> "(?<![\\w.:\"])" + port + "(?![\\w\"])"))
            .collect(Collectors.joining("|")));

    private static IntStream ports() {
        return IntStream.concat(
                        Arrays.stream(Component.values()).mapToInt(Component::port),
                        Component.WITH_UNDERSTUDY.stream().mapToInt(Component::understudyPort))
                .filter(port -> port > 1024);
    }

    @Test
    void nobodyElseSaysWhatComponentsAreCalledAndWhereTheyListen() {
        assertThat(sources().flatMap(ComponentLiteralsTest::literals).toList())
                .as("write Component.….id() or .port()")
                .isEmpty();
    }

    @Test
    void theTestKnowsALiteralWhenItSeesOne() {
        assertThat(List.of("on(\"kube-apiserver\")", "listen(6443);", "f(1, 26445)"))
                .allMatch(LITERALS.asPredicate());
        assertThat(List.of("\"kube-apiserver: is down\"", "x6443", "16443", "(1.6443)"))
                .noneMatch(LITERALS.asPredicate());
    }

    private static Stream<Path> sources() {
        try (Stream<Path> files = Files.walk(CHECKOUT)) {
            return files
                    .filter(file -> file.toString().contains("/src/main/java/")
                            && file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("model/component/Component.java"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> literals(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .map(String::strip)
                    .filter(line -> !line.startsWith("*") && !line.startsWith("/") && !isText(line))
                    .filter(LITERALS.asPredicate())
                    .map(line -> file.getFileName() + ": " + line)
                    .filter(line -> !EXCUSED.contains(line));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A line of a message for people, or of a text block: no expression. */
    private static boolean isText(String line) {
        return (line.startsWith("\"") && line.contains(" ")) || line.startsWith("--");
    }
}
