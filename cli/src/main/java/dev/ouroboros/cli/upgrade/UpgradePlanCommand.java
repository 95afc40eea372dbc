package dev.ouroboros.cli.upgrade;

import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cli.snapshot.SnapshotOptions;
import dev.ouroboros.upgrade.decide.ClusterMember;
import dev.ouroboros.upgrade.decide.PlanFinding.Severity;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import dev.ouroboros.upgrade.plan.PlanData;
import dev.ouroboros.upgrade.plan.PlanText;
import dev.ouroboros.upgrade.plan.StoredObjects;
import dev.ouroboros.upgrade.plan.UpgradePlanner;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro upgrade plan}. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Says how a cluster becomes another version: what runs now, the steps in their order with the rules that"
                    + " allow each, and what stands against it.",
            "With a Cluster document and an asset directory the target is rendered in memory. Changes nothing."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:nothing known stands against it",
            "1:the API server does not answer",
            "2:bad usage",
            "3:something blocks it"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro upgrade plan 1.21.0 --config cluster.yaml --asset-dir ./assets",
            "  ouro upgrade plan 1.21.0 --name ouroboros --binaries ./kubernetes-1.21.0",
            "  ouro snapshot save now.db && ouro upgrade plan 1.25.0 --snapshot now.db -o json"
        })
final class UpgradePlanCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private final UpgradeTarget target = new UpgradeTarget();

    @Option(
            names = "--snapshot",
            paramLabel = "FILE",
            description = "A snapshot of etcd: in which versions objects are stored is known from there.")
    private Optional<Path> snapshot = Optional.empty();

    @Option(
            names = "--encryption-config",
            paramLabel = "FILE",
            description = "The API server's EncryptionConfiguration, for what is encrypted in the snapshot.")
    private Optional<Path> encryptionConfig = Optional.empty();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        UpgradePlanner planner = new UpgradePlanner(
                ThisMachine.disk(), ThisMachine.processes(), ThisMachine.renderer(), InstantSource.system());
        UpgradePlan plan = planner.plan(target.request(stored(), true));
        TargetHints hints = TargetHints.of(spec);
        output.print(spec, PlanData.of(plan, hints::in), () -> hints.in(text(plan)));
        summarize(plan);
        return plan.isBlocked() ? ExitCode.FINDINGS : ExitCode.DONE;
    }

    private Optional<StoredObjects> stored() {
        return snapshot.map(file -> new StoredObjects(() -> SnapshotOptions.open(file, encryptionConfig)));
    }

    private static String text(UpgradePlan plan) {
        TextTable versions = new TextTable("COMPONENT", "NODE", "NOW", "TO BE");
        for (ClusterMember member : plan.members()) {
            String toBe = plan.toBe(member).equals(member.version())
                    ? "-"
                    : plan.toBe(member).tag();
            versions.row(
                    member.component().id(),
                    member.place().isEmpty() ? "?" : member.place(),
                    member.versionText(),
                    toBe);
        }
        StringBuilder text = new StringBuilder(versions.toString());
        section(text, "Steps", PlanText.steps(plan));
        section(text, "Findings", PlanText.findings(plan));
        section(text, "Changes, and is not judged", PlanText.unjudged(plan));
        if (!plan.kubelets().isEmpty()) {
            section(text, "On each node, when its turn comes", "- " + String.join("\n- ", plan.kubelets()) + "\n");
        }
        return text.toString();
    }

    private static void section(StringBuilder text, String title, String content) {
        if (!content.isEmpty()) {
            text.append('\n').append(title).append(":\n").append(content);
        }
    }

    private void summarize(UpgradePlan plan) {
        new SpokenLines(spec)
                .say("%s to %s: %s; %d blocking, %d warnings, %d unknown."
                        .formatted(
                                plan.now(),
                                plan.target(),
                                plan.isBlocked() ? "blocked" : "nothing known stands against it",
                                count(plan, Severity.BLOCKING),
                                count(plan, Severity.WARNING),
                                count(plan, Severity.UNKNOWN)));
    }

    private static long count(UpgradePlan plan, Severity severity) {
        return plan.findings().stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }
}
