package dev.ouroboros.change.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A workload of ours that shows certificates, and the Secrets that its template mounts.
 *
 * @param workload a DaemonSet or Deployment of kube-system
 * @param missing names of Secrets that the template mounts and that are not there
 * @param waitedFor what {@link EarlierServers} says, of the API server
 * @param held whether nodes that are away hold it up
 */
public record CertificateHolder(
        Component component,
        Json workload,
        List<CertificateFiles> secrets,
        List<String> missing,
        Optional<String> waitedFor,
        HeldRollout held) {
    /** In the order in which they get their certificates: the one last which may do it itself. DNS shows none. */
    public static final List<Component> ALL = List.of(
            Component.API_SERVER,
            Component.CONTROLLER_MANAGER,
            Component.SCHEDULER,
            Component.PROXY,
            Component.KEEPER,
            Component.NODE_AGENT,
            Component.STEWARD);

    public CertificateHolder {
        secrets = List.copyOf(secrets);
        missing = List.copyOf(missing);
    }

    /** Names of the Secrets that a workload's template mounts whole. */
    public static List<String> secretsOf(Json workload) {
        return secretsOf(workload, _ -> true);
    }

    /** The same of those without which its pods do not begin. */
    public static List<String> neededBy(Json workload) {
        return secretsOf(workload, volume -> !volume.at("secret", "optional").isTrue());
    }

    private static List<String> secretsOf(Json workload, Predicate<Json> isMeant) {
        return workload.at("spec", "template", "spec", "volumes").items().stream()
                .filter(isMeant)
                .flatMap(volume -> volume.at("secret", "secretName").text().stream())
                .distinct()
                .toList();
    }

    /**
     * Whether its pods have what the template says, but for those on nodes that are away, which follow when they are back. The agent has none where all nodes are of the control plane.
     */
    public Rollout rollout() {
        if (workload.at("kind").equals(Json.text("Deployment"))) {
            return Rollout.ofDeployment(workload);
        }
        boolean isWithoutPods = component != Component.API_SERVER
                && workload.at("status", "desiredNumberScheduled").equals(Json.number(0));
        return isWithoutPods || held instanceof HeldRollout.SettledElsewhere
                ? new Rollout.Settled()
                : Rollout.ofDaemonSet(workload).unless(waitedFor);
    }

    /** Of each Secret that is missing, what that means. What was in it is in no list, and nobody has it issued again. */
    public Stream<Problem> gaps() {
        return missing.stream()
                .map(name -> new Problem(
                        ErrorCode.NOT_FOUND,
                        "Secret kube-system/" + name,
                        "is gone, and kube-system/" + component.id()
                                + " mounts it: pods that run have still what was in it, and no other one begins",
                        "",
                        "have the template mount the one of before: kubectl -n kube-system rollout undo "
                                + workload.at("kind").text().orElse("").toLowerCase(Locale.ROOT) + "/" + component.id()
                                + "; or put it back, if the asset directory has it (manifests)"));
    }

    public Stream<CertificateFiles.Leaf> leaves() {
        return secrets.stream().flatMap(files -> files.leaves().stream());
    }

    /** A Secret of an earlier run, made of one that is mounted and mounted by nobody yet. */
    public Optional<SecretFiles> preparedOf(CertificateFiles files, List<SecretFiles> prepared) {
        return prepared.stream()
                .filter(secret ->
                        secret.renews().equals(Optional.of(files.secret().name())))
                .filter(secret -> secret.files().equals(files.secret().files()))
                .findFirst();
    }
}
