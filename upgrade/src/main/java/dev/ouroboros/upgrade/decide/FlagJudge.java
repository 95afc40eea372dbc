package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.facts.KnownFlags;
import dev.ouroboros.facts.KnownFlags.Verdict;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.upgrade.decide.Intent.Program;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which flags the target's programs will be started with, and whether the programs know them: flags of the target's manifests, and
 * flags that somebody added to the live object after it was made from the base. A flag that the base has and the target has not is
 * removed.
 */
final class FlagJudge {
    private static final String CHECK = "flags";
    private static final String GATES = "feature-gates";
    static final List<Component> WITH_FLAGS =
            List.of(Component.API_SERVER, Component.CONTROLLER_MANAGER, Component.SCHEDULER, Component.PROXY);

    private final ClusterSeen seen;
    private final Intent intent;
    private final KnownFlags flags;
    private final List<PlanFinding> findings = new ArrayList<>();

    private FlagJudge(ClusterSeen seen, Intent intent, KnownFlags flags) {
        this.seen = seen;
        this.intent = intent;
        this.flags = flags;
    }

    static List<PlanFinding> judge(ClusterSeen seen, Intent intent, KnownFlags flags) {
        FlagJudge judge = new FlagJudge(seen, intent, flags);
        WITH_FLAGS.forEach(judge::judge);
        return judge.findings;
    }

    /** A flag and its origin. */
    private record Used(String flag, boolean isAdded) {}

    private void judge(Component component) {
        Optional<Manifest> live = find(seen.workloads(), component);
        Optional<Manifest> target = find(intent.target(), component);
        if (live.isEmpty() && target.isEmpty()) {
            return;
        }
        String object = live.or(() -> target).map(Manifest::described).orElse(component.id());
        CommandLine lives = line(live, component);
        CommandLine base = line(find(intent.base(), component), component);
        CommandLine targets = line(target, component);
        boolean isBaseKnown = intent.base() instanceof Known && intent.target() instanceof Known;
        Set<Used> used = new LinkedHashSet<>();
        targets.flags().forEach(flag -> used.add(new Used(flag, false)));
        lives.flags().stream()
                .filter(flag -> !targets.flags().contains(flag) && !base.flags().contains(flag))
                .forEach(flag -> used.add(new Used(flag, true)));
        Optional<Program> program = program(component, object);
        for (Used flag : used) {
            if (program.isPresent()) {
                if (program.get().refused().contains(flag.flag())) {
                    add(
                            object,
                            flag,
                            isBaseKnown,
                            "the target's own " + component.id() + " does not know it",
                            advice(component, flag.flag()));
                }
            } else {
                judge(component, object, flag, isBaseKnown);
            }
        }
        gates(object, lives, targets, program);
    }

    /** What the program itself said counts more than any list. */
    private Optional<Program> program(Component component, String object) {
        Evidence<Program> asked = intent.programs().get(component);
        if (asked == null) {
            return Optional.empty();
        }
        return switch (asked) {
            case Known<Program>(Program program) -> Optional.of(program);
            case Unknown<Program>(String why) -> {
                findings.add(
                        unknown(CHECK, object, "the target's " + component.id() + " could not be asked: " + why, ""));
                yield Optional.empty();
            }
        };
    }

    private void judge(Component component, String object, Used used, boolean isBaseKnown) {
        switch (flags.judge(component, used.flag())) {
            case Verdict.Known() -> {}
            case Verdict.OtherVersion(var range, var successor, var source) ->
                add(
                        object,
                        used,
                        isBaseKnown,
                        "it exists " + range.describe() + " (" + source + ")",
                        successor.map(FlagJudge::instead).orElse("remove it"));
            case Verdict.Unknown(Optional<String> nearest) ->
                add(
                        object,
                        used,
                        isBaseKnown,
                        component.id() + " " + intent.version().minorName() + " has no such flag",
                        nearest.map(other -> "remove it, or is --" + other + " meant?")
                                .orElse("remove it"));
        }
    }

    private String advice(Component component, String flag) {
        return flags.judge(component, flag) instanceof Verdict.OtherVersion(var _, Optional<String> successor, var _)
                ? successor.map(FlagJudge::instead).orElse("remove it")
                : "remove it";
    }

    static String instead(String successor) {
        return successor.startsWith("nothing") ? "remove it: " + successor : "instead: " + successor;
    }

    /** Without the base, a flag of the old manifests that the new ones leave out looks like somebody's own. */
    private void add(String object, Used used, boolean isBaseKnown, String why, String next) {
        String evidence = "--" + used.flag() + (used.isAdded() ? ", which is not from the manifests" : "") + ": " + why;
        String consequence = "the program would end at once with 'unknown flag'";
        if (used.isAdded() && !isBaseKnown) {
            findings.add(warning(CHECK, object, evidence, consequence, next));
        } else {
            findings.add(blocking(CHECK, object, evidence, consequence, next));
        }
    }

    /** We have no data on feature gates; a program's help lists those that are neither GA nor removed. */
    private void gates(String object, CommandLine live, CommandLine target, Optional<Program> program) {
        Set<String> set = new LinkedHashSet<>();
        Stream.concat(target.values(GATES).stream(), live.values(GATES).stream())
                .flatMap(list -> Stream.of(list.split(",")))
                .map(gate -> gate.split("=", 2)[0].strip())
                .filter(gate -> !gate.isEmpty())
                .forEach(set::add);
        String consequence = "a gate that is gone keeps the program from starting";
        for (String gate : set) {
            if (program.isEmpty()) {
                findings.add(unknown(
                        CHECK,
                        object,
                        "feature gate " + gate + " is set, and nobody was asked whether "
                                + intent.version().minorName() + " has it: " + consequence,
                        "--binaries DIR with the programs of the target"));
            } else if (!program.get().gates().contains(gate)) {
                findings.add(warning(
                        CHECK,
                        object,
                        "feature gate " + gate
                                + " is set, and the target's help does not list it: it is general now, or gone",
                        consequence,
                        "take it out of --" + GATES));
            }
        }
    }

    private static Optional<Manifest> find(Evidence<List<Manifest>> manifests, Component component) {
        return manifests.orElse(List.of()).stream()
                .filter(manifest ->
                        manifest.kind().equals("DaemonSet") || manifest.kind().equals("Deployment"))
                .filter(manifest -> manifest.container(component).isPresent())
                .findFirst();
    }

    private static CommandLine line(Optional<Manifest> manifest, Component component) {
        return manifest.map(found -> found.commandLine(component)).orElseGet(() -> new CommandLine(List.of()));
    }
}
