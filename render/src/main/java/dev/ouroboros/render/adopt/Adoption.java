package dev.ouroboros.render.adopt;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.component.Component;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The manifests of a directory that bootkube rendered, altered so that what we promise holds: no failed request when the API
 * server changes, a checkpoint of it that can be started without any API, and nothing that fights the keeper. Pure; applied twice
 * it changes nothing more; the directory's files stay as they are.
 *
 * @param objects what is to be applied
 * @param changes what was altered, in the order of the objects
 * @param remarks what is not as we render it and was left alone
 */
public record Adoption(List<GenericKubernetesResource> objects, List<Alteration> changes, List<String> remarks) {
    private static final String CHECKPOINTER = "pod-checkpointer";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public Adoption {
        objects = List.copyOf(objects);
        changes = List.copyOf(changes);
        remarks = List.copyOf(remarks);
    }

    /**
     * @param rendered what {@code manifests/} holds
     * @param serviceAccountKey {@code tls/service-account.key}, which signs tokens since 1.20; bootkube's Secret lacks it
     * @param ipv6 whether this machine has IPv6
     */
    public static Adoption of(
            List<GenericKubernetesResource> rendered, Optional<byte[]> serviceAccountKey, boolean ipv6) {
        List<GenericKubernetesResource> objects = new ArrayList<>();
        List<Alteration> changes = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        Optional<ApiServerAdoption> apiServer = Optional.empty();
        for (GenericKubernetesResource object : rendered) {
            String name = describe(object);
            if (object.getMetadata().getName().equals(CHECKPOINTER)) {
                changes.add(new Alteration(
                        name, "", "not applied", "it would checkpoint and start API servers against the keeper's"));
            } else if (is(object, "DaemonSet", Component.API_SERVER)) {
                DaemonSet typed = MAPPER.convertValue(object, DaemonSet.class);
                ApiServerAdoption adopted = new ApiServerAdoption(name, typed, serviceAccountKey.isPresent(), ipv6);
                changes.addAll(adopted.changes());
                remarks.addAll(adopted.remarks());
                objects.add(generic(adopted.result()));
                apiServer = Optional.of(adopted);
            } else if (is(object, "Deployment", Component.CONTROLLER_MANAGER)
                    || is(object, "Deployment", Component.SCHEDULER)) {
                objects.add(generic(rolledWithoutGap(name, MAPPER.convertValue(object, Deployment.class), changes)));
                remarkOnToken(name, object, remarks);
            } else {
                objects.add(object);
            }
        }
        apiServer
                .flatMap(ApiServerAdoption::secretThatNeedsSigningKey)
                .ifPresent(secret -> addSigningKey(secret, serviceAccountKey, objects, changes));
        return new Adoption(objects, changes, remarks);
    }

    private static boolean is(GenericKubernetesResource object, String kind, Component component) {
        return object.getKind().equals(kind)
                && "kube-system".equals(object.getMetadata().getNamespace())
                && component.id().equals(object.getMetadata().getName());
    }

    private static String describe(GenericKubernetesResource object) {
        String namespace = object.getMetadata().getNamespace();
        return object.getKind() + " " + (namespace == null ? "" : namespace + "/")
                + object.getMetadata().getName();
    }

    private static GenericKubernetesResource generic(Object typed) {
        return MAPPER.convertValue(typed, GenericKubernetesResource.class);
    }

    private static Deployment rolledWithoutGap(String name, Deployment deployment, List<Alteration> changes) {
        Deployment wanted = new DeploymentBuilder(deployment)
                .editSpec()
                .withNewStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(new IntOrString(0))
                .withMaxSurge(new IntOrString(1))
                .endRollingUpdate()
                .endStrategy()
                .endSpec()
                .build();
        if (!wanted.equals(deployment)) {
            changes.add(new Alteration(
                    name,
                    "spec.strategy",
                    "RollingUpdate with maxUnavailable 0, maxSurge 1",
                    "the old one ends only when the new one is ready"));
        }
        return wanted;
    }

    private static void remarkOnToken(String name, GenericKubernetesResource object, List<String> remarks) {
        if (!Boolean.FALSE.equals(object.get("spec", "template", "spec", "automountServiceAccountToken"))) {
            remarks.add(
                    name + ": authenticates with a ServiceAccount's token, which no checkpoint can carry; 'ouro render'"
                            + " makes client certificates");
        }
    }

    /** The Secret that the API server mounts gets one key more; its other keys stay as they are. */
    private static void addSigningKey(
            String secretName,
            Optional<byte[]> key,
            List<GenericKubernetesResource> objects,
            List<Alteration> changes) {
        objects.replaceAll(object -> {
            boolean wanted = object.getKind().equals("Secret")
                    && "kube-system".equals(object.getMetadata().getNamespace())
                    && secretName.equals(object.getMetadata().getName());
            if (!wanted || key.isEmpty()) {
                return object;
            }
            Secret secret = MAPPER.convertValue(object, Secret.class);
            Map<String, String> data =
                    new LinkedHashMap<>(secret.getData() == null ? Map.<String, String>of() : secret.getData());
            if (data.containsKey(ApiServerAdoption.SIGNING_KEY_FILE)) {
                return object;
            }
            data.put(ApiServerAdoption.SIGNING_KEY_FILE, Base64.getEncoder().encodeToString(key.get()));
            secret.setData(data);
            changes.add(new Alteration(
                    describe(object),
                    "data." + ApiServerAdoption.SIGNING_KEY_FILE,
                    "added from tls/" + ApiServerAdoption.SIGNING_KEY_FILE,
                    "API servers sign tokens themselves since 1.20"));
            return generic(secret);
        });
    }
}
