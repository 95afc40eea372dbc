package dev.ouroboros.cli.change;

import dev.ouroboros.change.KeyRotations;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro change rotate-encryption-key}. */
@Command(
        name = "rotate-encryption-key",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Exchanges the key that encrypts Secrets, and whatever else the EncryptionConfiguration names, in etcd: adds a new key as a"
                    + " reader, lets it write, has every object written anew and proves it, removes the old key. Each step is a change of the API"
                    + " server that the keeper carries out; no request fails.",
            "May be killed at any moment: run again, it sees from the cluster which step is next."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the new key is the only one",
            "1:a step failed, or time is up",
            "2:bad usage, a cluster that cannot, or a step that somebody took back"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro change rotate-encryption-key --asset-dir ./assets",
            "  ouro change rotate-encryption-key --name ouroboros -o json"
        })
final class RotateEncryptionKeyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private RotationOptions options = new RotationOptions();

    @Override
    public Integer call() {
        return options.run(spec, KeyRotations::encryptionKey);
    }
}
