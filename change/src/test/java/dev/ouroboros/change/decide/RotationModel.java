package dev.ouroboros.change.decide;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.template.ChangeCheck;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Checkpointing;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.version.KubernetesVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A cluster as render makes it (its golden manifests), in which a template's change takes as long as it likes, and in which every
 * change of the API server is judged as the keeper judges it.
 */
final class RotationModel {
    private static final StaticPodRules RULES = StaticPodRules.load();
    private static final KubernetesVersion KUBELET =
            KubernetesVersion.parse("v1.20.2").orElseThrow();
    private static final Path GOLDEN = Path.of("../render/src/test/resources/golden/v1.20.2/manifests");
    private static final ObjectMapper YAML = YAMLMapper.builder().build();

    private final Map<String, SecretFiles> secrets = new HashMap<>();
    private final List<Json> history = new ArrayList<>();
    private Json daemonSet = settled(manifest("kube-apiserver"), "desiredNumberScheduled", "updatedNumberScheduled");
    private Json deployment = settled(manifest("kube-controller-manager"), "replicas", "updatedReplicas");
    private Json running = daemonSet;
    private Json managerRunning = deployment;

    RotationModel(Map<String, String> apiServerFiles, Map<String, String> managerFiles) {
        daemonSet = adopt(daemonSet, "kube-apiserver", apiServerFiles);
        deployment = adopt(deployment, "kube-controller-manager", managerFiles);
        running = daemonSet;
        managerRunning = deployment;
    }

    private Json adopt(Json workload, String name, Map<String, String> files) {
        SecretFiles rendered = new SecretFiles(manifest(name + "-secret"));
        SecretFiles own = rendered.with(Rotation.ENCRYPTION_KEY, "", files);
        SecretFiles bare = new SecretFiles(((Json.Fields) own.object())
                .with(
                        "metadata",
                        Json.object().with("name", Json.text(own.name())).with("namespace", Json.text("kube-system"))));
        secrets.put(bare.name(), bare);
        return MountedFile.withSecret(workload, rendered.name(), bare.name());
    }

    static Json manifest(String name) {
        Path file = GOLDEN.resolve(name + ".yaml");
        try {
            return JsonText.read(YAML.readTree(Files.readString(file)).toString());
        } catch (IOException e) {
            throw new IllegalStateException(file.toString(), e);
        }
    }

    private static Json settled(Json workload, String desired, String updated) {
        Json.Fields status = Json.object()
                .with("observedGeneration", Json.number(1))
                .with("numberReady", Json.number(1))
                .with("availableReplicas", Json.number(1))
                .with(desired, Json.number(1))
                .with(updated, Json.number(1));
        Json.Fields metadata = ((Json.Fields) workload.at("metadata")).with("generation", Json.number(1));
        return ((Json.Fields) workload).with("metadata", metadata).with("status", status);
    }

    private static Json unsettled(Json.Fields workload) {
        Json.Fields metadata = ((Json.Fields) workload.at("metadata")).with("generation", Json.number(2));
        return workload.with("metadata", metadata);
    }

    Json daemonSet() {
        return daemonSet;
    }

    Json deployment() {
        return deployment;
    }

    boolean apiServerIsSettled() {
        return running.equals(daemonSet);
    }

    SecretFiles secretOf(Json workload) {
        return Objects.requireNonNull(secrets.get(secretName(workload)), secretName(workload));
    }

    /** What the servers that run read. */
    SecretFiles runningSecret() {
        return secretOf(running);
    }

    SecretFiles managerRunningSecret() {
        return secretOf(managerRunning);
    }

    List<SecretFiles> all() {
        return List.copyOf(secrets.values());
    }

    private static String secretName(Json workload) {
        return workload.at("spec", "template", "spec", "volumes").items().stream()
                .flatMap(volume -> volume.at("secret", "secretName").text().stream())
                .findFirst()
                .orElseThrow();
    }

    /** The first half of a step: a command may be killed behind it. */
    void create(SecretFiles secret) {
        secrets.putIfAbsent(secret.name(), secret);
    }

    /** The other half. The keeper must be able to carry it out with both servers on one etcd. */
    void propose(Json.Fields workload) {
        if (workload.at("kind").equals(Json.text("Deployment"))) {
            deployment = unsettled(workload);
            return;
        }
        assertThat(apiServerIsSettled())
                .as("nothing is begun while a change is under way")
                .isTrue();
        assertThat(ChangeCheck.conflicts(checkpoint(running), checkpoint(workload)))
                .isEmpty();
        history.add(daemonSet);
        daemonSet = unsettled(workload);
    }

    /**
     * {@code kubectl rollout undo}, by people, who may be several changes ahead of what runs. What the keeper refuses is not asked for.
     *
     * @param harmless whether what is stored can be read with what would be given back; people can do harm here, the command cannot
     * @param compatible whether the servers that run read what it would write: exactly else the keeper must refuse it
     */
    void undo(Predicate<SecretFiles> harmless, Predicate<SecretFiles> compatible) {
        if (history.isEmpty() || !harmless.test(secretOf(history.getLast()))) {
            return;
        }
        Json before = history.getLast();
        var conflicts = ChangeCheck.conflicts(checkpoint(running), checkpoint(before));
        assertThat(conflicts.isEmpty())
                .as("is carried out, or refused for " + conflicts)
                .isEqualTo(compatible.test(secretOf(before)));
        if (conflicts.isEmpty()) {
            history.removeLast();
            daemonSet = unsettled((Json.Fields) before);
        }
    }

    void carryOut() {
        daemonSet = settled(daemonSet, "desiredNumberScheduled", "updatedNumberScheduled");
        deployment = settled(deployment, "replicas", "updatedReplicas");
        running = daemonSet;
        managerRunning = deployment;
    }

    void say(String state) {
        Json.Fields metadata = ((Json.Fields) daemonSet.at("metadata"))
                .with("annotations", Json.object().with(ChangeReport.STATE_ANNOTATION, Json.text(state)));
        daemonSet = ((Json.Fields) daemonSet).with("metadata", metadata);
    }

    /** As the keeper makes it of a template. */
    Checkpoint checkpoint(Json workload) {
        Json template = workload.at("spec", "template");
        Json pod = Json.object()
                .with(
                        "metadata",
                        ((Json.Fields) template.at("metadata"))
                                .with("name", workload.at("metadata", "name"))
                                .with("namespace", workload.at("metadata", "namespace")))
                .with("spec", template.at("spec"));
        Evidence<Checkpointing.Result> made = new Checkpointing(RULES, KUBELET).of(pod, this::lookup);
        if (made
                instanceof Evidence.Known<Checkpointing.Result>(Checkpointing.Result.Complete(Checkpoint checkpoint))) {
            return checkpoint;
        }
        throw new AssertionError(made);
    }

    private Evidence<Optional<Json>> lookup(ApiObject object) {
        return Evidence.known(Optional.ofNullable(secrets.get(object.name())).map(SecretFiles::object));
    }
}
