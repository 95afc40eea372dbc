package dev.ouroboros.cli.upgrade;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.decide.LiveEditJudge;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.merge.Conflict;
import dev.ouroboros.upgrade.merge.Preference;
import dev.ouroboros.upgrade.run.ClusterUpgrade;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What apply and rollback have in common: options, timeouts, and how they report. */
final class UpgradeWork {
    /** What becomes of an object that somebody changed and the upgrade would change, too. */
    enum OnConflict {
        STOP,
        LIVE,
        TARGET
    }

    @Option(
            names = "--on-conflict",
            paramLabel = "WHAT",
            defaultValue = "STOP",
            description = {
                "Where the cluster was changed by somebody at the very place that is to change: stop before anything is done and show it,"
                        + " or keep what is live, or take the target's (stop, live, target; default: stop)."
            })
    private OnConflict onConflict = OnConflict.STOP;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(10);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    ClusterUpgrade of(ClusterUpgrade.Site site, ProcedureListener listener) {
        return new ClusterUpgrade(
                site,
                ThisMachine.disk(),
                ThisMachine.processes(),
                ThisMachine.renderer(),
                InstantSource.system(),
                listener,
                timeout);
    }

    Optional<Preference> choice() {
        return switch (onConflict) {
            case STOP -> Optional.empty();
            case LIVE -> Optional.of(Preference.LIVE);
            case TARGET -> Optional.of(Preference.TARGET);
        };
    }

    /** @param nothing what to say when there was nothing to do */
    int tell(Upgrade.Outcome outcome, String nothing, CommandSpec spec) {
        output.print(spec, data(outcome), () -> table(outcome, nothing));
        return outcome.conflicts().isEmpty() ? ExitCode.DONE : ExitCode.FINDINGS;
    }

    private static String table(Upgrade.Outcome outcome, String nothing) {
        if (outcome.wasDone()) {
            return "nothing to do: " + nothing + "\n";
        }
        StringBuilder text = new StringBuilder();
        if (!outcome.conflicts().isEmpty()) {
            text.append("Changed in the cluster, and to be changed to something else:\n");
            outcome.conflicts().forEach((object, conflicts) -> {
                text.append('\n').append(object).append('\n');
                conflicts.forEach(conflict -> text.append("  ")
                        .append(conflict.path().isEmpty() ? "(all of it)" : conflict.path())
                        .append("\n    was made as  ")
                        .append(LiveEditJudge.shown(object, conflict.base()))
                        .append("\n    is live      ")
                        .append(LiveEditJudge.shown(object, conflict.live()))
                        .append("\n    target       ")
                        .append(LiveEditJudge.shown(object, conflict.target()))
                        .append('\n'));
            });
            return text.append(
                            "\nNothing of it was written. Run it again with --on-conflict live or --on-conflict target,"
                                    + " or make the change in the Cluster document too.\n")
                    .toString();
        }
        outcome.journal().ifPresent(journal -> {
            text.append("done: ")
                    .append(journal.from().equals(journal.to()) ? journal.to() : journal.from() + " -> " + journal.to())
                    .append('\n');
            journal.snapshot()
                    .ifPresent(snapshot -> text.append("etcd of before: ")
                            .append(snapshot.file())
                            .append(", revision ")
                            .append(snapshot.revision())
                            .append('\n'));
        });
        outcome.leftBehind()
                .forEach(object -> text.append("left where it is, what was asked for has it not: ")
                        .append(object)
                        .append("; once nobody needs it: ")
                        .append(deletion(object))
                        .append('\n'));
        return text.toString();
    }

    private static String deletion(ObjectName object) {
        String namespace = object.namespace().isEmpty() ? "" : " -n " + object.namespace();
        return "kubectl" + namespace + " delete " + object.kind().toLowerCase(Locale.ROOT) + " " + object.name();
    }

    private static ObjectNode data(Upgrade.Outcome outcome) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("done", outcome.conflicts().isEmpty()).put("wasDone", outcome.wasDone());
        outcome.journal().ifPresent(journal -> {
            data.put("from", journal.from()).put("to", journal.to());
            journal.snapshot()
                    .ifPresent(snapshot -> data.putObject("snapshot")
                            .put("file", snapshot.file())
                            .put("revision", snapshot.revision())
                            .put("taken", snapshot.taken().toString()));
        });
        ArrayNode conflicts = data.putArray("conflicts");
        for (Map.Entry<ObjectName, List<Conflict>> entry : outcome.conflicts().entrySet()) {
            entry.getValue()
                    .forEach(conflict -> conflicts
                            .addObject()
                            .put("object", entry.getKey().toString())
                            .put("path", conflict.path())
                            .put("base", LiveEditJudge.shown(entry.getKey(), conflict.base()))
                            .put("live", LiveEditJudge.shown(entry.getKey(), conflict.live()))
                            .put("target", LiveEditJudge.shown(entry.getKey(), conflict.target())));
        }
        ArrayNode left = data.putArray("leftBehind");
        outcome.leftBehind().forEach(object -> left.add(object.toString()));
        return data;
    }
}
