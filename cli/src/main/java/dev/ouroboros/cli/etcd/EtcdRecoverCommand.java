package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.Question;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.EtcdRestorer;
import dev.ouroboros.etcd.QuorumRecovery;
import dev.ouroboros.etcd.decide.QuorumLoss.Answers;
import dev.ouroboros.etcd.decide.QuorumLoss.Refuses;
import dev.ouroboros.etcd.decide.QuorumLoss.Silent;
import dev.ouroboros.etcd.decide.QuorumLoss.Stored;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.clock.MonotonicClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro etcd recover}. */
@Command(
        name = "recover",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Goes on with the last member of an etcd whose other members are lost for good with their disks: on its node, it becomes an etcd of its own, with all that it knows to be agreed on. Refused"
                    + " while a majority may be there, or another member answers.",
            "The machines of the lost members may never start with their disks again. May be killed at any moment: run again, it goes on."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:etcd is this member",
            "1:failed; what has begun goes on when this is run again",
            "2:bad usage, or an etcd that is not lost"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro etcd recover", "  ouro exec ouroboros -- ouro etcd recover --yes    # in a sandbox"})
final class EtcdRecoverCommand implements Callable<Integer> {
    private static final String NAME = "ouro etcd recover";
    private static final String AGE =
            ". They may be as old as its last contact with the others: ouro snapshot list shows whether there is something newer";
    private static final String ELSEWHERE =
            "API servers and kubelets of other nodes that live may have seen writes that are lost, and miss changes until they are started anew: reboot these nodes, and never the machine of a lost member";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private final EtcdNodeOptions node = new EtcdNodeOptions();

    @Option(
            names = "--etcd-tool",
            paramLabel = "FILE",
            description = "etcdutl, or etcdctl before 3.6, of etcd's own minor version (default: the one on the path).")
    private Optional<Path> tool = Optional.empty();

    @Option(
            names = "--kubelet-restart-command",
            paramLabel = "COMMAND",
            description =
                    "Run by /bin/sh where etcd cannot raise its revision (default: 'systemctl try-restart kubelet' where systemd runs, and what does the same in a sandbox).")
    private Optional<String> kubeletRestart = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = DurationConverter.class,
            description =
                    "How long one thing is waited for; a member that a kubelet starts anew, for seven minutes more (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(5);

    @Option(names = "--dry-run", description = "Look, say what is lost and what there is, and change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Give the other members up without asking.")
    private boolean yes;

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws InterruptedException {
        ThisMachine.requireRoot(NAME, "manifests and keys of etcd are root's");
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        SpokenLines lines = new SpokenLines(spec, clock);
        EtcdRestorer restorer = new EtcdRestorer(ThisMachine.disk(), ThisMachine.processes(), node.runtime(), clock);
        QuorumRecovery recovery =
                new QuorumRecovery(ThisMachine.disk(), ThisMachine.processes(), restorer, clock, lines);
        QuorumRecovery.Options options = new QuorumRecovery.Options(
                node.manifest(),
                EtcdNodeOptions.state(),
                tool,
                kubeletRestart.or(ThisMachine::kubeletRestart),
                timeout);
        if (!dryRun && !yes) {
            Question.requireTerminal(NAME);
        }
        if (dryRun) {
            tell(recovery.look(options), lines);
            return ExitCode.DONE;
        }
        Path former = recovery.recover(
                options, loss -> requireConsent(loss, lines), event -> RestoreLines.tell(event, ELSEWHERE, lines::say));
        output.print(
                spec,
                JsonNodeFactory.instance.objectNode().put("recovered", true).put("formerManifest", former.toString()),
                () -> done(former));
        return ExitCode.DONE;
    }

    private static void tell(QuorumRecovery.Loss loss, SpokenLines lines) {
        loss.members().forEach((member, why) -> lines.say("nobody answers of " + member + ": " + why));
        lines.say(
                switch (loss.own()) {
                    case Answers own ->
                        "this node's member has revision " + own.revision() + ", entries up to " + own.applied()
                                + " of " + own.committed() + " that it knows to be agreed on" + AGE;
                    case Stored(long applied) ->
                        "this node's member does not answer, as an etcd does not that has started without the others; its disk has entries up to "
                                + applied + AGE;
                    case Refuses(String why) -> "this node's member: " + why;
                    case Silent(String why, boolean _) -> "this node's member: " + why;
                });
    }

    private void requireConsent(QuorumRecovery.Loss loss, SpokenLines lines) {
        tell(loss, lines);
        String members = String.join(", ", loss.members().keySet());
        if (!yes
                && !Question.ask(
                        NAME, "Give up for good " + members, spec.commandLine().getErr())) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    NAME,
                    "members " + members + " are not to be given up: nothing was changed",
                    "",
                    "bring their machines back: etcd goes on by itself when a majority is there");
        }
    }

    private static String done(Path former) {
        return """
                etcd has one member, with what this one knew to be agreed on; its manifest of before is %s
                Then (docs/etcd.md, "A majority is lost for good"):
                  wipe the machines of the lost members before they start again (in a sandbox: ouro node remove)
                  kubectl delete node NODE, for each of these machines, as soon as the API answers again
                  have API servers look for etcd here only: ouro change etcd-servers
                  add members as at first: ouro etcd join and add, or the steward
                """.formatted(former);
    }
}
