package dev.ouroboros.cli;

import dev.ouroboros.change.Steering;
import dev.ouroboros.cluster.ClusterClient;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro change}: changes that take several steps, and the reins of one that is under way. */
@Command(
        name = "change",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Changes that a control plane survives only in steps, and holding, resuming or taking back one that is under way.",
            "Any other change is made with kubectl; 'ouro status --wait' waits for it."
        },
        subcommands = {
            RotateEncryptionKeyCommand.class,
            RotateServiceAccountKeyCommand.class,
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
final class ChangeCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** What the three reins have in common. */
    abstract static class Rein implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Mixin
        private StatusTarget target = new StatusTarget();

        private final Consumer<Steering> deed;
        private final String done;

        Rein(Consumer<Steering> deed, String done) {
            this.deed = deed;
            this.done = done;
        }

        @Override
        public Integer call() {
            try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
                deed.accept(new Steering(client));
            }
            PrintWriter err = spec.commandLine().getErr();
            err.println(done);
            err.flush();
            return Ouro.EXIT_DONE;
        }
    }

    @Command(
            name = "pause",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "No change of the API server is begun; a candidate that has not replaced the running one yet is taken back.",
                "The same as annotation ouroboros.dev/paused=true on DaemonSet kube-system/kube-apiserver."
            },
            footer = {"", "Example:", "  ouro change pause"})
    static final class Pause extends Rein {
        Pause() {
            super(Steering::pause, "changes of the API server wait until 'ouro change resume'");
        }
    }

    @Command(
            name = "resume",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Changes of the API server go on after 'ouro change pause'.",
            footer = {"", "Example:", "  ouro change resume && ouro status --wait"})
    static final class Resume extends Rein {
        Resume() {
            super(Steering::resume, "changes of the API server go on");
        }
    }

    @Command(
            name = "abort",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Takes a change of the API server back that is under way, failed or was refused: the template of DaemonSet"
                        + " kube-system/kube-apiserver becomes the one of before. The keeper goes the way back as carefully as the way there."
            },
            footer = {"", "Example:", "  ouro change abort && ouro status --wait"})
    static final class Abort extends Rein {
        Abort() {
            super(Steering::abort, "the template is given back; 'ouro status --wait' waits for the way back");
        }
    }
}
