package dev.ouroboros.change;

import dev.ouroboros.change.decide.CertificateFiles;
import dev.ouroboros.change.decide.CertificateHolder;
import dev.ouroboros.change.decide.FrontProxyRotation;
import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.SecretFiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Which certificates the workloads of a control plane show. A Secret that is immutable is read once. */
final class CertificateSource {
    private final ControlPlaneObjects plane;
    private final Map<String, CertificateFiles> known = new HashMap<>();

    CertificateSource(ControlPlaneObjects plane) {
        this.plane = plane;
    }

    /** In the order of {@link CertificateHolder#ALL}; those that there are. */
    List<CertificateHolder> look() {
        Map<String, Json> workloads = plane.workloads();
        List<CertificateHolder> holders = new ArrayList<>();
        for (Component component : CertificateHolder.ALL) {
            Optional.ofNullable(workloads.get(component.id()))
                    .ifPresent(workload -> holders.add(holder(component, workload)));
        }
        return List.copyOf(holders);
    }

    private CertificateHolder holder(Component component, Json workload) {
        boolean isMoving = component != Component.API_SERVER
                && workload.at("kind").equals(Json.text("DaemonSet"))
                && Rollout.ofDaemonSet(workload) instanceof Rollout.Moving;
        Map<String, CertificateFiles> secrets = new LinkedHashMap<>();
        CertificateHolder.secretsOf(workload).forEach(name -> files(name).ifPresent(files -> secrets.put(name, files)));
        return new CertificateHolder(
                component,
                workload,
                List.copyOf(secrets.values()),
                CertificateHolder.neededBy(workload).stream()
                        .filter(name -> !secrets.containsKey(name))
                        .toList(),
                // All pods and Nodes are read for it.
                component == Component.API_SERVER && Rollout.ofDaemonSet(workload) instanceof Rollout.Settled
                        ? plane.earlierServers(workload)
                        : Optional.empty(),
                isMoving ? plane.held(workload) : new HeldRollout.NotHeld());
    }

    private Optional<CertificateFiles> files(String secret) {
        CertificateFiles before = known.get(secret);
        if (before != null) {
            return Optional.of(before);
        }
        Optional<CertificateFiles> read = plane.findSecret(secret).map(CertificateFiles::new);
        read.filter(files -> files.secret().object().at("immutable").isTrue())
                .ifPresent(files -> known.put(secret, files));
        return read;
    }

    /** Authorities whose keys are in the cluster. */
    List<Credential> authorities(List<CertificateHolder> holders) {
        return withKeys(holders).stream()
                .flatMap(files -> files.authorities().stream())
                .distinct()
                .toList();
    }

    /** Secrets that may have keys of authorities: the controller manager signs with one, the steward with others, and a rotation made one that nobody mounts. */
    List<CertificateFiles> withKeys(List<CertificateHolder> holders) {
        return Stream.concat(
                        holders.stream().flatMap(holder -> holder.secrets().stream()),
                        plane.authorities(FrontProxyRotation.AUTHORITY).stream().map(CertificateFiles::new))
                .toList();
    }

    /** Secrets that a run made, of which some nobody mounts where it was ended. */
    List<SecretFiles> prepared() {
        return plane.secrets().stream()
                .filter(secret -> secret.renews().isPresent())
                .toList();
    }
}
