package dev.ouroboros.cli.change;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro change rotate-service-account-key}. */
@Command(
        name = "rotate-service-account-key",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Exchanges the key that signs ServiceAccount tokens: API servers accept the new key, then they and the controller manager sign"
                    + " with it, then every token in a Secret gets a successor. The old key is removed when nobody needs it any more; until"
                    + " then the command says who does, and is run again.",
            "May be killed at any moment: run again, it sees from the cluster which step is next."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the new key is the only one",
            "1:a step failed, or time is up",
            "2:bad usage, a cluster that cannot, or a step that somebody took back",
            "3:the new key signs, and the old one is still needed by what is listed"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro change rotate-service-account-key --asset-dir ./assets",
            "  ouro change rotate-service-account-key --finish"
        })
final class RotateServiceAccountKeyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private RotationOptions options = new RotationOptions();

    @Option(
            names = "--finish",
            description = "Remove the old key also when somebody may still need it: old tokens stop working.")
    private boolean finish;

    @Override
    public Integer call() {
        return options.run(spec, rotations -> rotations.serviceAccountKey(finish));
    }
}
