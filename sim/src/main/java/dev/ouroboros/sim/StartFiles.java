package dev.ouroboros.sim;

import dev.ouroboros.bootstrap.decide.PivotObservation.Manifest;
import dev.ouroboros.bootstrap.decide.PivotState;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.understudy.TemporaryPod;
import dev.ouroboros.sim.Blueprint.Kept;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What {@code start} has on the disk of a node, as its {@code Journal} and {@code TemporaryControlPlane} keep it. */
final class StartFiles {
    private static final Path JOURNAL = KeeperProcess.STATE.resolve(StateLayout.JOURNAL);
    private static final Path FORMER_PODS = KeeperProcess.STATE.resolve(StateLayout.FORMER_PODS_DELETED);
    private static final Path SECRETS = Path.of(AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY);
    private static final Path MARKER = SECRETS.resolve(".written-by-ouro-start");

    private static final List<Kept> STOOD_IN_FOR =
            List.of(Blueprint.API_SERVER, Blueprint.MANAGER, Blueprint.SCHEDULER);

    private final Disk disk;

    StartFiles(Disk disk) {
        this.disk = disk;
    }

    private static Path file(Component component) {
        return Kubelet.MANIFESTS.resolve(AssetLayout.baseName(AssetLayout.bootstrapManifest(component)));
    }

    Manifest manifest(Component component) {
        return disk.readText(file(component)).isPresent() ? Manifest.OURS : Manifest.ABSENT;
    }

    /** Whether the keeper stands in for a part of the control plane: then it is in vain to wait for the keeper, which waits for us. */
    boolean hasUnderstudy() {
        return STOOD_IN_FOR.stream().anyMatch(this::hasManifest);
    }

    /** What {@code --take-over} does first. */
    void removeUnderstudies() {
        STOOD_IN_FOR.forEach(kept -> disk.delete(understudy(kept)));
    }

    boolean hasStaticCopy() {
        return hasManifest(Blueprint.KEEPER);
    }

    private boolean hasManifest(Kept kept) {
        return disk.readText(understudy(kept)).isPresent();
    }

    private static Path understudy(Kept kept) {
        return Kubelet.MANIFESTS.resolve(Understudy.fileName(kept.component(), kept.role()));
    }

    void write(Component component) {
        disk.write(file(component), text(component).getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    void remove(Component component) {
        disk.delete(file(component));
    }

    /** JSON is YAML; the mark is on a line of its own, as in what start writes. */
    private static String text(Component component) {
        String probe = component == Component.API_SERVER
                ? ", \"livenessProbe\": {\"httpGet\": {\"port\": %d}}".formatted(component.understudyPort())
                : "";
        return """
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "%s", "namespace": "kube-system", "annotations": {
                  "%s": "%s"
                 }},
                 "spec": {"hostNetwork": true,
                  "containers": [{"name": "%s", "image": "localhost/%s:v1.20.2", "command": ["%s"]%s}],
                  "volumes": [{"name": "secrets", "hostPath": {"path": "%s", "type": "Directory"}}]}}
                """.formatted(
                        component.temporaryPod(),
                        Understudy.OWNER_ANNOTATION,
                        TemporaryPod.OWNER,
                        component.id(),
                        component.id(),
                        component.id(),
                        probe,
                        SECRETS);
    }

    boolean hasSecrets() {
        return disk.readText(MARKER).isPresent();
    }

    void copySecrets() {
        disk.createDirectories(SECRETS, Disk.OWNER_ONLY_DIRECTORY);
        for (String name : List.of("ca.crt", "apiserver.key")) {
            disk.write(SECRETS.resolve(name), name.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        }
        disk.write(MARKER, new byte[0], Disk.OWNER_ONLY_FILE);
    }

    void removeSecrets() {
        disk.delete(MARKER);
        disk.deleteTree(SECRETS);
    }

    /** Where an unfinished pivot goes on; an interrupted removal, and a pivot from before a restore, begin anew. */
    Optional<PivotState> unfinished(Instant now, Optional<Instant> restored) {
        return journalled()
                .filter(entry -> !entry.phase().isFinal() && entry.phase() != Phase.ROLLING_BACK)
                .filter(entry -> restored.isEmpty() || restored.equals(entry.restored()))
                .map(entry -> new PivotState(entry.phase(), now, List.of()).slow(entry.isSlow()));
    }

    private record Journalled(Phase phase, Optional<Instant> restored, boolean isSlow) {}

    private Optional<Journalled> journalled() {
        return disk.readText(JOURNAL).map(text -> {
            try {
                Json root = JsonText.read(text);
                return new Journalled(
                        Phase.valueOf(root.at("phase").text().orElse("")),
                        root.at("restored").text().map(Instant::parse),
                        root.at("slow").isTrue());
            } catch (MalformedJson e) {
                throw new IllegalStateException("a journal is whole or not there: " + text, e);
            }
        });
    }

    void journal(Phase phase, boolean isSlow, Optional<Instant> restored) {
        disk.createDirectories(KeeperProcess.STATE, Disk.OWNER_ONLY_DIRECTORY);
        Json.Fields entry = Blueprint.fields("phase", phase.name()).with("slow", Json.bool(isSlow));
        Json.Fields whole = restored.map(moment -> entry.with("restored", Json.text(moment.toString())))
                .orElse(entry);
        disk.write(JOURNAL, JsonText.write(whole), Disk.OWNER_ONLY_FILE);
    }

    /** As {@link dev.ouroboros.keeper.act.StartLeftovers}, whose lock is a file of the real machine. */
    void finish() {
        if (hasSecrets()) {
            removeSecrets();
        }
        journalled().ifPresent(entry -> journal(Phase.DONE, entry.isSlow(), entry.restored()));
    }

    boolean hasDeletedFormerPods(Instant restored) {
        return disk.readText(FORMER_PODS).equals(Optional.of(restored.toString()));
    }

    void formerPodsDeleted(Instant restored) {
        if (!hasDeletedFormerPods(restored)) {
            disk.write(FORMER_PODS, restored.toString().getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        }
    }

    /** Whether nothing of a pivot is left but its final journal entry. */
    boolean areGone() {
        boolean manifestsGone =
                Component.WITH_UNDERSTUDY.stream().allMatch(component -> manifest(component) == Manifest.ABSENT);
        return manifestsGone
                && !hasSecrets()
                && journalled().filter(entry -> !entry.phase().isFinal()).isEmpty();
    }
}
