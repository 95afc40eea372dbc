package dev.ouroboros.cli.snapshot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.SavedSnapshot;
import dev.ouroboros.etcd.SavedSnapshot.KeySpaceCheck.Agrees;
import dev.ouroboros.etcd.SavedSnapshot.KeySpaceCheck.NotCompared;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.etcd.SnapshotSaver;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro snapshot save}. */
@Command(
        name = "save",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes a snapshot of a live etcd, of a sandbox or with --etcd-servers.",
            "It gets its name when it is verified and on the disk: its SHA-256, every page, and the hash of its key space as etcd has it."
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  ouro snapshot save backup.db",
            "  ouro snapshot save '/backup/etcd-{time}.db' --keep 7 --etcd-servers https://10.0.0.1:2379 \\",
            "      --etcd-ca-path ca.crt --etcd-certificate-path client.crt --etcd-private-key-path client.key"
        })
final class SnapshotSaveCommand implements Callable<Integer> {
    private static final String PLAIN = "identity";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "Where to; {time} in its name stands for the moment, as in 20261121T151200Z.")
    private Path file = Path.of("");

    @Option(
            names = "--keep",
            paramLabel = "N",
            description = {
                "How many snapshots stay whose names differ from this one's in the time only; older ones are removed.",
                "Only what this command saved there, and nobody changed since, is ever removed (default: all stay)."
            })
    private @Nullable Integer keep;

    @Option(
            names = "--encryption-config",
            paramLabel = "FILE",
            description = {
                "The API server's EncryptionConfiguration: everything that is encrypted is decrypted once, and the keys are kept beside the snapshot, as FILE.keys.yaml."
            })
    private Optional<Path> encryptionConfig = Optional.empty();

    @Mixin
    private final SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    private final EtcdOptions etcd = new EtcdOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        SavedSnapshot saved = new SnapshotSaver(ThisMachine.disk(), InstantSource.system())
                .save(
                        etcd.serversOr(sandbox),
                        new SnapshotName(file),
                        keep == null ? new SnapshotRetention.All() : new SnapshotRetention.Newest(keep),
                        encryptionConfig.map(SnapshotOptions::encryptionConfig));
        output.print(spec, data(saved), () -> table(saved));
        advise(saved);
        return ExitCode.DONE;
    }

    private static ObjectNode data(SavedSnapshot saved) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("file", saved.file().toString())
                .put("server", saved.server().toString())
                .put("bytes", saved.bytes())
                .put("sha256", saved.sha256())
                .put("revision", saved.inspection().status().revision())
                .put("keys", saved.inspection().liveKeys())
                .put("writtenBy", saved.inspection().etcd().writtenBy());
        ObjectNode check = data.putObject("keySpace");
        switch (saved.keySpace()) {
            case Agrees(long revision, long hash) ->
                check.put("agrees", true).put("revision", revision).put("hash", hash);
            case NotCompared(String reason) -> check.put("agrees", false).put("reason", reason);
        }
        ObjectNode secrets = data.putObject("secrets");
        secrets(saved).forEach(secrets::put);
        ArrayNode removed = data.putArray("removed");
        saved.removed().forEach(path -> removed.add(path.toString()));
        return data;
    }

    private static String table(SavedSnapshot saved) {
        StringBuilder text = new StringBuilder();
        text.append("file:      ").append(saved.file()).append('\n');
        text.append("bytes:     ").append(saved.bytes()).append('\n');
        text.append("revision:  ")
                .append(saved.inspection().status().revision())
                .append('\n');
        text.append("keys:      ").append(saved.inspection().liveKeys()).append('\n');
        text.append("sha256:    ").append(saved.sha256()).append('\n');
        text.append("key space: ");
        text.append(
                switch (saved.keySpace()) {
                    case Agrees(long _, long hash) -> "as etcd has it (hash " + hash + ")";
                    case NotCompared(String reason) -> "not compared: " + reason;
                });
        text.append('\n');
        saved.removed().forEach(path -> text.append("removed:   ").append(path).append('\n'));
        return text.toString();
    }

    /** How many Secrets are encrypted by which key. */
    private static SortedMap<String, Long> secrets(SavedSnapshot saved) {
        return saved.inspection().encryption().getOrDefault("secrets", new TreeMap<>());
    }

    /** Says what else a recovery will need, while it can still be copied. */
    private void advise(SavedSnapshot saved) {
        SpokenLines lines = new SpokenLines(spec);
        saved.remarks().forEach(remark -> lines.say("warning: " + remark.describe()));
        if (encryptionConfig.isPresent()) {
            saved.inspection().unreadable().forEach(problem -> lines.say("warning: " + problem.describe()));
        }
        saved.inspection().etcd().alarms().forEach(alarm -> lines.say("warning: etcd has raised the alarm " + alarm));
        List<String> keys = secrets(saved).entrySet().stream()
                .map(Map.Entry::getKey)
                .filter(key -> !key.equals(PLAIN))
                .toList();
        if (!keys.isEmpty() && encryptionConfig.isEmpty()) {
            lines.say("Secrets in it are encrypted (" + String.join(", ", keys)
                    + "): they are lost without the API server's --encryption-provider-config. Keep that file too, elsewhere."
                    + (etcd.given()
                            ? ""
                            : " This sandbox's: ouro exec " + sandbox.name().node() + " -- cat "
                                    + NodeLayout.ASSETS.resolve(AssetLayout.ENCRYPTION_CONFIG)));
        }
        if (secrets(saved).containsKey(PLAIN)) {
            lines.say("Secrets in it are not encrypted: who can read the file can read them.");
        }
    }
}
