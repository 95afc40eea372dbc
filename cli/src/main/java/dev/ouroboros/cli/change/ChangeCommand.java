package dev.ouroboros.cli.change;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.change.Steering;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.component.Component;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro change}: changes that take several steps, and commands that control one that is under way. */
@Command(
        name = "change",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Changes that a control plane survives only in steps, and holding, resuming or taking back one that is under way.",
            "Any other change is made with kubectl; 'ouro status --wait' waits for it, as 'kubectl rollout status' cannot for a DaemonSet that is"
                    + " replaced on delete."
        },
        subcommands = {
            RotateEncryptionKeyCommand.class,
            RotateServiceAccountKeyCommand.class,
            RotateAuthorityCommand.class,
            EtcdServersCommand.class,
            RemoveKeeperCommand.class,
            ChangeCommand.Pause.class,
            ChangeCommand.Resume.class,
            ChangeCommand.Abort.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro change rotate-encryption-key --asset-dir ./assets",
            "  ouro change rotate-service-account-key",
            "  ouro change pause"
        })
public final class ChangeCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** What pause, resume and abort have in common. */
    abstract static class Control implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Mixin
        private StatusTarget target = new StatusTarget();

        @Mixin
        private final OutcomeOptions output = new OutcomeOptions();

        private final String done;

        Control(String done) {
            this.done = done;
        }

        abstract void pull(Steering steering);

        @Override
        public Integer call() {
            try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
                pull(new Steering(client));
            }
            String said = TargetHints.of(spec).in(done);
            new SpokenLines(spec).say(said);
            output.print(
                    spec,
                    () -> JsonNodeFactory.instance
                            .objectNode()
                            .put("command", spec.name())
                            .put("outcome", "done")
                            .put("message", said));
            return ExitCode.DONE;
        }
    }

    @Command(
            name = "pause",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "No change of the API server is begun; a candidate that has not replaced the running one yet is taken"
                        + " back.",
                "The same as annotation ouroboros.dev/paused=true on DaemonSet kube-system/kube-apiserver."
            },
            footer = {"", "Example:", "  ouro change pause"})
    static final class Pause extends Control {
        Pause() {
            super("changes of the API server wait until 'ouro change resume'");
        }

        @Override
        void pull(Steering steering) {
            steering.pause();
        }
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Changes of the API server go on after 'ouro change pause'.",
            footer = {"", "Example:", "  ouro change resume && ouro status --wait"})
    static final class Resume extends Control {
        Resume() {
            super("changes of the API server go on");
        }

        @Override
        void pull(Steering steering) {
            steering.resume();
        }
    }

    @Command(
            name = "abort",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Takes a change back that is under way, failed or was refused: the template becomes that of the pods that are ready, however"
                        + " many bad ones were asked for since ('kubectl rollout undo' gives the one before, be it as bad). The keeper goes the"
                        + " API server's way back as carefully as the way there. A rotation or an upgrade that runs meanwhile ends."
            },
            footer = {"", "Examples:", "  ouro change abort && ouro status --wait", "  ouro change abort kube-scheduler"
            })
    static final class Abort extends Control {
        @Parameters(
                arity = "0..1",
                paramLabel = "COMPONENT",
                defaultValue = "kube-apiserver",
                converter = ChangedComponent.class,
                completionCandidates = ChangedComponent.class,
                description = "Whose: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
        private Component component = Component.API_SERVER;

        Abort() {
            super("the template is given back; 'ouro status --wait' waits for the way back");
        }

        @Override
        void pull(Steering steering) {
            steering.abort(component);
        }
    }
}
