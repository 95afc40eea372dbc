package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.ouroboros.cli.ErrorPlaces.Place;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Every place that makes a problem is executed by some test. Which were, only the tests of all modules together show: {@code ./test
 * --errors} runs them with an agent that records it, and this at the end.
 */
final class ErrorPlacesTest {
    /** The record of the agent. */
    private static final String RECORD = "ouroboros.errors";

    private static final Path ELSEWHERE = Path.of("src/test/resources/dev/ouroboros/cli/errors-elsewhere.txt");

    @Test
    @EnabledIfSystemProperty(named = RECORD, matches = ".+")
    void everyPlaceIsProvokedByATest() throws IOException {
        ErrorPlaces places = new ErrorPlaces();
        Executed executed = new Executed(Path.of(System.getProperty(RECORD, "")));
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.ouroboros")) {
            if (!type.getPackageName().endsWith(".testing")) {
                byte[] content = bytes(type);
                places.add(content);
                executed.add(content);
            }
        }
        Map<String, List<Place>> never = new TreeMap<>();
        places.find().stream()
                .filter(place -> !executed.is(place))
                .forEach(place -> never.computeIfAbsent(place.name(), _ -> new ArrayList<>())
                        .add(place));
        Map<String, Integer> elsewhere = elsewhere();
        assertThat(never.values().stream()
                        .filter(found -> found.size()
                                > elsewhere.getOrDefault(found.getFirst().name(), 0))
                        .flatMap(List::stream)
                        .map(place -> place.name() + ":" + place.line()))
                .as("places that no test provokes; one that an end-to-end test does is listed in %s", ELSEWHERE)
                .isEmpty();
        assertThat(elsewhere.keySet())
                .as("%s lists what is provoked by a test that runs everywhere, or is no more", ELSEWHERE)
                .isSubsetOf(never.keySet());
    }

    /** Lines of name, number of places, and the test that provokes them. */
    private static Map<String, Integer> elsewhere() throws IOException {
        Map<String, Integer> numbers = new TreeMap<>();
        for (String line : Files.readAllLines(ELSEWHERE)) {
            if (!line.startsWith("#") && !line.isBlank()) {
                String[] words = line.split(" +", 3);
                assertThat(words).as(line).hasSize(3);
                numbers.put(words[0], Integer.parseInt(words[1]));
            }
        }
        return numbers;
    }

    @Test
    void findsPlacesHoweverTheyAreWritten() throws IOException {
        ErrorPlaces places = new ErrorPlaces();
        for (JavaClass type : new ClassFileImporter().importClasses(Clumsy.class)) {
            places.add(bytes(type));
        }
        assertThat(places.find().stream().map(place -> place.name().replaceAll(".*\\$Clumsy\\.", "")))
                .containsExactly("atOnce", "first", "inALambda", "reports", "second", "third", "trouble");
    }

    private static byte[] bytes(JavaClass type) throws IOException {
        try (InputStream content =
                type.getSource().orElseThrow().getUri().toURL().openStream()) {
            return content.readAllBytes();
        }
    }

    @SuppressWarnings("unused")
    private static final class Clumsy {
        private static Problem atOnce() {
            return new Problem(ErrorCode.DISK, "a", "b", "c", "d");
        }

        private static String inALambda(Optional<String> value) {
            return value.orElseThrow(() -> ProblemException.of(ErrorCode.DISK, "a", "b", "c", "d"));
        }

        private static void reports(List<Problem> problems, String what) {
            problems.add(new Problem(ErrorCode.DISK, "a", what, "c", "d"));
        }

        private static void first(List<Problem> problems) {
            if (problems.isEmpty()) {
                reports(problems, "first");
            }
        }

        private static Problem trouble(boolean large) {
            if (large) {
                throw new IllegalStateException();
            }
            return new Problem(ErrorCode.DISK, "a", "b", "c", "d");
        }

        private static void second(List<Problem> problems) {
            problems.forEach(_ -> trouble(false));
        }

        private static void third(List<Problem> problems) {
            while (problems.isEmpty()) {
                problems.add(trouble(true));
            }
        }

        /** Its callers say nothing of their own. */
        private static void checks(List<Problem> problems) {
            first(problems);
        }
    }
}
