package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whoever makes a problem says what to do about it. */
final class RemedyTest {
    /** So many calls make a problem when this was written; far fewer would mean that the scan does not see them any more. */
    private static final int AT_LEAST = 350;

    @Test
    void everyPlaceThatMakesAProblemSaysWhatToDoNext() throws IOException {
        RemedyScan scan = new RemedyScan();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.ouroboros")) {
            scan.add(bytes(type));
        }
        assertThat(scan.findings()).isEmpty();
        assertThat(scan.places()).isGreaterThan(AT_LEAST);
    }

    @Test
    void findsAnEmptyRemedyHoweverItGetsThere() throws IOException {
        RemedyScan scan = new RemedyScan();
        for (JavaClass type : new ClassFileImporter().importClasses(Silent.class)) {
            scan.add(bytes(type));
        }
        assertThat(scan.findings().stream().map(place -> place.replaceAll(":\\d+$", "")))
                .containsExactlyInAnyOrder(
                        "RemedyTest$Silent.atOnce",
                        "RemedyTest$Silent.onOneSide",
                        "RemedyTest$Silent.throughAVariable",
                        "RemedyTest$Silent.throughAMethodThatPassesItOn",
                        "RemedyTest$Silent.lambda$throughALambda$0",
                        "RemedyTest$Silent.nothing",
                        "RemedyTest$Silent.whenThereIsNone");
    }

    private static byte[] bytes(JavaClass type) throws IOException {
        try (InputStream content =
                type.getSource().orElseThrow().getUri().toURL().openStream()) {
            return content.readAllBytes();
        }
    }

    /** All the ways not to say it, and some that say it. */
    @SuppressWarnings("unused")
    private static final class Silent {
        private static Problem atOnce() {
            return new Problem(ErrorCode.DISK, "a", "b", "c", "");
        }

        private static Problem onOneSide(boolean side) {
            return new Problem(ErrorCode.DISK, "a", "b", "", side ? "" : "d");
        }

        private static ProblemException throughAVariable(boolean side) {
            String next = "d";
            if (side) {
                next = "";
            }
            return ProblemException.of(ErrorCode.DISK, "a", "b", "", next);
        }

        private static Problem throughAMethodThatPassesItOn() {
            return passesOn("b", "");
        }

        private static Problem passesOn(String what, String next) {
            return new Problem(ErrorCode.DISK, "a", what, "", next);
        }

        private static String throughALambda(Optional<String> value) {
            return value.orElseThrow(() -> ProblemException.of(ErrorCode.DISK, "a", "b", "", ""));
        }

        private static Problem throughAResult() {
            return new Problem(ErrorCode.DISK, "a", "b", "", nothing());
        }

        private static String nothing() {
            return "";
        }

        private static Problem whenThereIsNone(Optional<String> next) {
            return new Problem(ErrorCode.DISK, "a", "b", "", next.orElse(""));
        }

        private static Problem says() {
            return passesOn("", "d");
        }

        private static Problem saysInEveryCase(int number) {
            return new Problem(ErrorCode.DISK, "a", "", "", number > 0 ? "d" : "e" + number);
        }
    }
}
