package dev.ouroboros.cli;

import static dev.ouroboros.model.problem.ErrorCode.CANNOT_BE_STATIC;
import static dev.ouroboros.model.problem.ErrorCode.COMPACTED;
import static dev.ouroboros.model.problem.ErrorCode.DOWNLOAD_FAILED;
import static dev.ouroboros.model.problem.ErrorCode.FILE_CHANGED;
import static dev.ouroboros.model.problem.ErrorCode.FOREIGN_TABLE;
import static dev.ouroboros.model.problem.ErrorCode.FRONT_BROKEN;
import static dev.ouroboros.model.problem.ErrorCode.INTERNAL;
import static dev.ouroboros.model.problem.ErrorCode.RUNTIME_REFUSED;
import static dev.ouroboros.model.problem.ErrorCode.RUNTIME_UNAVAILABLE;
import static dev.ouroboros.model.problem.ErrorCode.UNSUPPORTED_CLUSTER;
import static dev.ouroboros.model.problem.ErrorCode.UNSUPPORTED_RUNTIME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.Blunder.Said;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every error, provoked with the real command as people provoke it, and what it says: code, what was found, what to do. What a command
 * can only meet on a node, or with a program that answers as no real one can be made to here, is provoked by the tests of {@link
 * #ELSEWHERE}.
 */
final class ErrorCatalogueTest {
    private record Elsewhere(ErrorCode code, String file, String test) {}

    /** With the file of the test, and the name of its method. */
    private static final List<Elsewhere> ELSEWHERE = List.of(
            new Elsewhere(
                    CANNOT_BE_STATIC,
                    "model/src/test/java/dev/ouroboros/model/checkpoint/StaticPodRulesTest.java",
                    "saysWhetherTheKubeletItselfRefuses"),
            new Elsewhere(
                    UNSUPPORTED_CLUSTER,
                    "bootstrap/src/test/java/dev/ouroboros/bootstrap/decide/PivotTest.java",
                    "refusesAClusterWithOtherControlPlaneNodesBeforeItMakesPods"),
            new Elsewhere(
                    COMPACTED,
                    "snapshot/src/test/java/dev/ouroboros/snapshot/bolt/BoltFileTest.java",
                    "saysFromWhichRevisionOnItCanBeRead"),
            new Elsewhere(
                    FILE_CHANGED,
                    "snapshot/src/test/java/dev/ouroboros/snapshot/bolt/BoltFileTest.java",
                    "noticesThatSomebodyWroteMeanwhile"),
            new Elsewhere(
                    FOREIGN_TABLE,
                    "node/src/test/java/dev/ouroboros/node/front/NftFrontTest.java",
                    "leavesAForeignTableOfTheSameNameAlone"),
            new Elsewhere(
                    FRONT_BROKEN,
                    "node/src/test/java/dev/ouroboros/node/front/FrontPreflightTest.java",
                    "findsAFirewallThatDoesNotKnowTheUnderstudy"),
            new Elsewhere(
                    UNSUPPORTED_RUNTIME,
                    "runtime/src/test/java/dev/ouroboros/runtime/image/OtherRuntimeTest.java",
                    "saysThatItCannotArchiveImagesOfAnotherRuntime"),
            new Elsewhere(
                    RUNTIME_REFUSED,
                    "runtime/src/test/java/dev/ouroboros/runtime/cri/CriRuntimeTest.java",
                    "worksAgainAfterEachWayToFail"),
            new Elsewhere(
                    RUNTIME_UNAVAILABLE,
                    "runtime/src/test/java/dev/ouroboros/runtime/cri/CriRuntimeTest.java",
                    "worksAgainAfterEachWayToFail"),
            new Elsewhere(
                    DOWNLOAD_FAILED,
                    "images/src/test/java/dev/ouroboros/images/release/ReleaseSourceTest.java",
                    "namesTheAddressThatDoesNotExist"));

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @MethodSource
    void mistakes(Mistake mistake) throws Exception {
        Said said;
        try (Blunder blunder = new Blunder(directory)) {
            said = mistake.made().in(blunder);
        }
        // One line has all three: code, what was found and, at its end, what to do about it.
        assertThat(said.error().lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("error " + mistake.code() + ": ")
                        .contains(mistake.what())
                        .containsPattern(";[^;]*" + Pattern.quote(mistake.next())));
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        said.error()
                .lines()
                .filter(line -> line.startsWith("error "))
                .forEach(line -> kinds.add(code(line).kind()));
        assertThat(said.exitCode()).isEqualTo(kinds.equals(EnumSet.of(Kind.USER)) ? ExitCode.USAGE : ExitCode.FAILED);
    }

    private static ErrorCode code(String line) {
        Matcher code = Pattern.compile("^error ([A-Z_]+): .*").matcher(line);
        assertThat(code.matches()).as(line).isTrue();
        return ErrorCode.valueOf(code.group(1));
    }

    @Test
    void everyErrorIsProvokedHereOrElsewhere() {
        Set<ErrorCode> provoked = EnumSet.of(INTERNAL);
        mistakes().forEach(mistake -> provoked.add(mistake.code()));
        ELSEWHERE.forEach(test -> provoked.add(test.code()));
        assertThat(provoked).isEqualTo(EnumSet.allOf(ErrorCode.class));
    }

    @Test
    void whatIsProvokedElsewhereIsProvokedThere() throws IOException {
        for (Elsewhere test : ELSEWHERE) {
            String source = Files.readString(Path.of("..").resolve(test.file()));
            Matcher method = Pattern.compile(
                            "@Test\\s+(@Execution\\(\\S+\\)\\s+)?void " + test.test() + "\\(.*?\n    }\n",
                            Pattern.DOTALL)
                    .matcher(source);
            assertThat(method.find())
                    .as("%s has no %s", test.file(), test.test())
                    .isTrue();
            assertThat(method.group()).as("%s in %s", test.test(), test.file()).contains("ErrorCode." + test.code());
        }
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(Mistakes.all(), OptionMistakes.all(), MachineMistakes.all())
                .flatMap(all -> all);
    }
}
