package dev.ouroboros.status.judge;

import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.ComponentHealth;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Layer;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import dev.ouroboros.status.seen.SavedCheckpoint;
import dev.ouroboros.status.seen.SavedSlots;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where one component stands, by all that was seen of it. The nearest source is believed first: keeper, API, runtime. */
final class ComponentJudge {
    /** Of a controller manager or scheduler: somebody wants it so, but the cluster lacks it. */
    static final ComponentHealth SCALED_TO_ZERO = ComponentHealth.bad("scaled to 0");

    private static final String NOBODY = "nobody who answers knows";
    private final Evidence<ApiSeen> api;
    private final Evidence<NodeSeen> node;
    private final CheckpointJudge checkpoints;
    private final boolean managesEtcd;

    /** @param managesEtcd whether there is a steward that writes the static pods of etcd's members */
    ComponentJudge(Evidence<ApiSeen> api, Evidence<NodeSeen> node, CheckpointJudge checkpoints, boolean managesEtcd) {
        this.api = api;
        this.node = node;
        this.checkpoints = checkpoints;
        this.managesEtcd = managesEtcd;
    }

    ComponentStatus judge(ComponentEvidence clues) {
        Layer layer = layer(clues);
        Optional<KeeperWord> keeper = clues.keeper();
        return new ComponentStatus(
                layer,
                clues.name().namespace(),
                clues.name().name(),
                owner(clues).map(owner -> ofLayer(owner, layer)),
                nodes(clues),
                version(clues),
                health(clues),
                clues.asksForCheckpoint() ? Optional.of(checkpoints.judge(clues)) : Optional.empty(),
                certificates(clues, layer),
                keeper.flatMap(KeeperWord::since),
                waitsFor(clues));
    }

    private static String waitsFor(ComponentEvidence clues) {
        String trouble = clues.trouble();
        return clues.keeper()
                .filter(word -> !word.waitsFor().isEmpty())
                .map(word -> word.isAtRest() || trouble.isEmpty() ? word.waitsFor() : word.waitsFor() + "; " + trouble)
                .orElse(trouble);
    }

    /** A component outside of kube-system is an add-on, even with a control plane's name. */
    private static Layer layer(ComponentEvidence clues) {
        if (!clues.name().namespace().equals(PodIdentity.CONTROL_PLANE_NAMESPACE)) {
            return Layer.ADD_ONS;
        }
        return components(clues)
                .map(ComponentJudge::layer)
                .min(Comparator.naturalOrder())
                .orElse(Layer.ADD_ONS);
    }

    private static Layer layer(Component component) {
        return switch (component) {
            case ETCD -> Layer.ETCD;
            case API_SERVER -> Layer.API_SERVER;
            case CONTROLLER_MANAGER, SCHEDULER, PROXY -> Layer.CONTROLLERS;
            case KUBELET, KEEPER, NODE_AGENT, DNS, STEWARD -> Layer.ADD_ONS;
        };
    }

    /** The components by its name and by its containers, as the API and the runtime know them. */
    private static Stream<Component> components(ComponentEvidence clues) {
        return Stream.of(
                        Component.ofId(clues.name().name()).stream(),
                        specs(clues)
                                .flatMap(spec -> spec.at("containers").items().stream())
                                .flatMap(container -> ComponentContainer.of(container).stream()),
                        clues.runtimePods().stream()
                                .flatMap(pod -> pod.containers().stream())
                                .flatMap(container ->
                                        ComponentContainer.of(container.name(), container.image()).stream()))
                .flatMap(found -> found);
    }

    private static Stream<Json> specs(ComponentEvidence clues) {
        return Stream.concat(
                clues.workload().map(workload -> workload.template().at("spec")).stream(),
                clues.apiPods().stream().map(ApiPod::spec));
    }

    /** The container that gives a component its name, if one does. */
    private static Optional<Json> mainContainer(Json spec, String name) {
        return Component.ofId(name)
                .flatMap(component -> ComponentContainer.in(spec, component))
                .or(() -> spec.at("containers").items().stream()
                        .filter(container -> container.at("name").equals(Json.text(name)))
                        .findFirst());
    }

    private Owner ofLayer(Owner owner, Layer layer) {
        return managesEtcd && layer == Layer.ETCD && owner == Owner.STATIC_POD ? Owner.MANAGED_STATIC_POD : owner;
    }

    private static Evidence<Owner> owner(ComponentEvidence clues) {
        if (clues.workload().isPresent()) {
            return Evidence.known(clues.workload().get().owner());
        }
        if (!clues.apiPods().isEmpty()) {
            return Evidence.known(clues.apiPods().getFirst().isStatic() ? Owner.STATIC_POD : Owner.API_POD);
        }
        if (clues.runtimePods().stream().anyMatch(pod -> !pod.isStatic())) {
            return Evidence.known(Owner.API_POD);
        }
        if (clues.runtimePods().stream().anyMatch(pod -> RuntimeNames.isCopy(pod.name()))) {
            return Evidence.known(Owner.UNDERSTUDY);
        }
        if (!clues.runtimePods().isEmpty()) {
            return Evidence.known(clues.keeper().isPresent() ? Owner.UNDERSTUDY : Owner.STATIC_POD);
        }
        // Only etcd can be known as missing (Judge): it is this project's own etcd, and that is a static pod.
        return clues.isMissing() ? Evidence.known(Owner.STATIC_POD) : Evidence.unknown(NOBODY);
    }

    private List<String> nodes(ComponentEvidence clues) {
        List<String> ofApi = clues.apiPods().stream()
                .map(ApiPod::node)
                .filter(name -> !name.isEmpty())
                .distinct()
                .sorted()
                .toList();
        boolean here = clues.keeper().isPresent() || !clues.runtimePods().isEmpty() || clues.isMissing();
        return ofApi.isEmpty() && here && node instanceof Known<NodeSeen>(NodeSeen seen) ? List.of(seen.name()) : ofApi;
    }

    /** By the image tags of the pods, then the template, then the runtime's containers, then the last-good checkpoint. */
    private static Evidence<String> version(ComponentEvidence clues) {
        String name = clues.name().name();
        List<String> tags = clues.apiPods().stream()
                .flatMap(pod -> tag(pod.spec(), name).stream())
                .distinct()
                .sorted()
                .toList();
        if (!tags.isEmpty()) {
            return Evidence.known(String.join(", ", tags));
        }
        return clues.workload()
                .flatMap(workload -> tag(workload.template().at("spec"), name))
                .or(() -> clues.runtimePods().stream()
                        .filter(pod -> pod.state() == RuntimePod.State.READY)
                        .flatMap(pod -> pod.containers().stream())
                        .flatMap(container -> RuntimeNames.version(container.image()).stream())
                        .findFirst())
                .or(() -> lastGood(clues).stream()
                        .flatMap(saved -> saved.images().stream())
                        .flatMap(image -> RuntimeNames.version(image).stream())
                        .findFirst())
                .map(Evidence::known)
                .orElseGet(() -> Evidence.unknown(NOBODY));
    }

    private static Optional<SavedCheckpoint> lastGood(ComponentEvidence clues) {
        return clues.slots()
                .flatMap(slots -> slots.orElse(new SavedSlots(Optional.empty(), Optional.empty()))
                        .lastGood());
    }

    private static Optional<String> tag(Json spec, String name) {
        return mainContainer(spec, name)
                .or(() -> spec.at("containers").items().stream().findFirst())
                .flatMap(container -> container.at("image").text())
                .flatMap(RuntimeNames::version);
    }

    private ComponentHealth health(ComponentEvidence clues) {
        Optional<ComponentHealth> ofKeeper = clues.keeper().flatMap(KeeperWord::health);
        Optional<ComponentHealth> ofApi = ofApi(clues);
        return Stream.of(ofKeeper, ofApi)
                .flatMap(Optional::stream)
                .max(Comparator.comparing(ComponentHealth::grade))
                .or(() -> ofRuntime(clues.runtimePods()))
                .orElseGet(() -> clues.isMissing() ? ComponentHealth.bad("missing") : ComponentHealth.unknown());
    }

    private Optional<ComponentHealth> ofApi(ComponentEvidence clues) {
        long ready = clues.apiPods().stream().filter(ApiPod::ready).count();
        if (clues.workload().isPresent()) {
            Workload workload = clues.workload().get();
            if (workload.isSwitchedOff() && isLed(clues)) {
                return Optional.of(SCALED_TO_ZERO);
            }
            if (!workload.observed()) {
                return Optional.of(ComponentHealth.moving("not taken up yet"));
            }
            String text = count(workload.ready(), workload.desired());
            if (workload.ready() < workload.desired()) {
                return Optional.of(
                        isOnItsWay(clues, workload) ? ComponentHealth.moving(text) : ComponentHealth.bad(text));
            }
            return Optional.of(
                    workload.isRolling()
                            ? ComponentHealth.moving(
                                    // Update strategy OnDelete: no pod moves unless the keeper lets it.
                                    workload.owner() == Owner.DAEMON_SET ? "not as its template" : "rolling out")
                            : ComponentHealth.good(text));
        }
        if (clues.apiPods().isEmpty()) {
            return Optional.empty();
        }
        if (ready == 0 && isTheEtcdThatAnswered(clues)) {
            return Optional.of(ComponentHealth.good("running"));
        }
        String text = count(ready, clues.apiPods().size());
        if (ready == clues.apiPods().size()) {
            return Optional.of(ComponentHealth.good(text));
        }
        boolean willBe = clues.apiPods().stream().allMatch(pod -> pod.ready() || (pod.isStatic() && pod.isStarting()));
        return Optional.of(willBe ? ComponentHealth.moving(text) : ComponentHealth.bad(text));
    }

    /**
     * Whether those of several that are not ready will be by themselves: its pods are being replaced or started. A pod that ended, or whose node is off, needs
     * somebody. What is no part of the control plane may be on its way as a whole, as what begins behind it does.
     */
    private boolean isOnItsWay(ComponentEvidence clues, Workload workload) {
        List<ApiPod> pods = clues.apiPods();
        boolean isChanging = workload.isRolling()
                || Changes.of(workload)
                        .filter(change -> change.progress() == Change.Progress.UNDER_WAY)
                        .isPresent();
        boolean areStarted = pods.stream().allMatch(pod -> pod.ready() || isStarted(pod));
        return workload.ready() > 0 ? isChanging || areStarted : areStarted && !pods.isEmpty() && isAddOn(clues);
    }

    /** The keeper is in their layer, and needed as a part of the control plane is. */
    private static boolean isAddOn(ComponentEvidence clues) {
        return layer(clues) == Layer.ADD_ONS && !clues.name().name().equals(Component.KEEPER.id());
    }

    private boolean isStarted(ApiPod pod) {
        return pod.isPlaced() && (pod.isStarting() || (pod.runsForTheFirstTime() && isOnReadyNode(pod)));
    }

    private boolean isOnReadyNode(ApiPod pod) {
        return api.flatMap(ApiSeen::nodes).orElse(List.of()).stream()
                .filter(each -> each.at("metadata", "name").text().equals(Optional.of(pod.node())))
                .anyMatch(KubeletJudge::isReady);
    }

    /**
     * Whether this pod is the etcd from which the API server answered, whatever its kubelet says: it may be late.
     */
    private static boolean isTheEtcdThatAnswered(ComponentEvidence clues) {
        return layer(clues) == Layer.ETCD
                && clues.apiPods().size() == 1
                && clues.apiPods().getFirst().isStatic()
                && (clues.trouble().isEmpty() || clues.apiPods().getFirst().isStarting())
                && clues.runtimePods().stream().anyMatch(ComponentJudge::isRunning);
    }

    /** Whether it is leader-elected: a controller manager or scheduler. */
    private static boolean isLed(ComponentEvidence clues) {
        return clues.name().namespace().equals(PodIdentity.CONTROL_PLANE_NAMESPACE)
                && components(clues)
                        .anyMatch(component ->
                                component == Component.CONTROLLER_MANAGER || component == Component.SCHEDULER);
    }

    /** With one pod in all, the numbers are left out. */
    private static String count(long ready, long all) {
        return all == 1 ? (ready == 1 ? "ready" : "not ready") : ready + "/" + all + " ready";
    }

    private static Optional<ComponentHealth> ofRuntime(List<RuntimePod> pods) {
        if (pods.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                pods.stream().anyMatch(ComponentJudge::isRunning)
                        ? ComponentHealth.good("running")
                        : ComponentHealth.bad("stopped"));
    }

    /** Each container's last attempt counts; one that exited with 0 was an init container. */
    static boolean isRunning(RuntimePod pod) {
        Map<String, RuntimeContainer> last = pod.containers().stream()
                .collect(Collectors.toMap(RuntimeContainer::name, container -> container, (_, later) -> later));
        return pod.state() == RuntimePod.State.READY
                && last.values().stream().anyMatch(container -> container.state() == RuntimeContainer.State.RUNNING)
                && last.values().stream()
                        .allMatch(container -> container.state() == RuntimeContainer.State.RUNNING
                                || container
                                        .exit()
                                        .filter(exit -> exit.code() == 0)
                                        .isPresent());
    }

    /** The certificates in the Secrets that a pod mounts; with no API, those in the checkpoint. */
    private Evidence<List<DatedCertificate>> certificates(ComponentEvidence clues, Layer layer) {
        if (layer == Layer.ETCD) {
            return KubeletJudge.certificates(node, NodeCertificates::etcd);
        }
        Evidence<List<DatedCertificate>> inSecrets = inSecrets(clues.name().namespace());
        if (inSecrets instanceof Known<List<DatedCertificate>>(List<DatedCertificate> all)
                && specs(clues).findAny().isPresent()) {
            List<String> secrets =
                    specs(clues).flatMap(spec -> ApiPod.secrets(spec).stream()).toList();
            return Evidence.known(all.stream()
                    .filter(certificate -> secrets.contains(certificate.holder()))
                    .toList());
        }
        Optional<SavedCheckpoint> saved = lastGood(clues);
        if (saved.isPresent()) {
            return Evidence.known(saved.get().certificates());
        }
        return Evidence.unknown(
                api instanceof Known<?> && inSecrets instanceof Unknown<?>(String why)
                        ? "the API does not say: " + why
                        : NOBODY);
    }

    private Evidence<List<DatedCertificate>> inSecrets(String namespace) {
        if (!(api instanceof Known<ApiSeen>(ApiSeen answer))) {
            return Evidence.unknown(NOBODY);
        }
        if (namespace.equals(PodIdentity.CONTROL_PLANE_NAMESPACE)) {
            return answer.certificates();
        }
        return answer.others()
                .flatMap(others -> others.certificates()
                        .getOrDefault(namespace, Evidence.unknown("namespace " + namespace + " was not read")));
    }
}
