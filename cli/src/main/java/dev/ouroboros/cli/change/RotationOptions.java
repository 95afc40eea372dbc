package dev.ouroboros.cli.change;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.change.KeyRotations;
import dev.ouroboros.change.RotationOutcome;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What the rotations have in common: the cluster, the copy of its keys, timeouts, and how they report their outcome. */
final class RotationOptions {
    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(
            names = "--asset-dir",
            paramLabel = "DIR",
            description = "The cluster's asset directory: its copy of the key is written before the cluster uses it.")
    private Optional<Path> assetDirectory = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(10);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    int run(CommandSpec spec, Function<KeyRotations, RotationOutcome> rotation) {
        SpokenLines lines = new SpokenLines(spec);
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            KeyRotations rotations = KeyRotations.of(
                    client,
                    assetDirectory,
                    ThisMachine.disk(),
                    lines,
                    new SecureRandom(),
                    timeout,
                    InstantSource.system());
            RotationOutcome outcome = rotation.apply(rotations);
            advise(outcome, lines);
            output.print(spec, data(outcome), () -> table(outcome));
            return outcome.finished() ? ExitCode.DONE : ExitCode.FINDINGS;
        }
    }

    private void advise(RotationOutcome outcome, SpokenLines lines) {
        for (RotationOutcome.KeepOutside file : outcome.keepOutside()) {
            lines.say(
                    file.written()
                            ? assetDirectory
                                            .map(path -> path.resolve(file.file()))
                                            .orElseThrow() + " is up to date"
                            : "keep outside of the cluster, as " + file.file() + " of its asset directory:\n  "
                                    + file.command());
        }
        if (assetDirectory.isPresent()) {
            lines.say(
                    "run 'ouro render' again with the cluster's configuration, so that the manifests beside it are, too");
        }
        if (outcome.finished() && outcome.rewritten() > 0) {
            lines.say("snapshots from before need the former key: keep it as long as you keep them");
        }
    }

    private static String table(RotationOutcome outcome) {
        StringBuilder text = new StringBuilder(outcome.rotation())
                .append(": ")
                .append(outcome.key())
                .append(
                        outcome.finished()
                                ? " is the one in use\n"
                                : " is the one in use; the former one is accepted too:\n");
        outcome.remains().forEach(line -> text.append("  ").append(line).append('\n'));
        if (!outcome.next().isEmpty()) {
            text.append(outcome.next()).append('\n');
        }
        return text.toString();
    }

    private static ObjectNode data(RotationOutcome outcome) {
        ObjectNode data = JsonNodeFactory.instance
                .objectNode()
                .put("rotation", outcome.rotation())
                .put("key", outcome.key())
                .put("finished", outcome.finished())
                .put("next", outcome.next())
                .put("rewritten", outcome.rewritten());
        ArrayNode remains = data.putArray("remains");
        outcome.remains().forEach(remains::add);
        ArrayNode keep = data.putArray("keepOutside");
        for (RotationOutcome.KeepOutside file : outcome.keepOutside()) {
            keep.addObject()
                    .put("file", file.file())
                    .put("secret", file.secret())
                    .put("key", file.key())
                    .put("written", file.written());
        }
        return data;
    }
}
