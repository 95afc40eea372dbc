package dev.ouroboros.upgrade.decide;

import dev.ouroboros.facts.SkewPolicy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The order in which the instances of a cluster become another version.
 *
 * <p>Snapshot, images and assets come first, then objects that pods share; then API servers one by one, controller manager,
 * scheduler, kube-proxy, the keeper, add-ons; kubelets last. After each instance every pair is compared with the policy: a
 * route ends before the first step that the policy forbids, and names the pair. So no route passes through what is forbidden, and one
 * that reaches its end is allowed as a whole.
 *
 * @param steps that are allowed, in their order
 * @param forbidden the pairs for which it ends early; empty when it reaches its end
 * @param refusal why there is no route at all: a jump over a minor version, or a way back
 */
public record Route(List<PlanStep> steps, List<SkewPair> forbidden, Optional<Refusal> refusal) {
    /** Why versions alone rule an upgrade out. */
    public sealed interface Refusal {
        /** @param through the minor versions to go through, the target's last */
        record Jump(List<KubernetesVersion> through) implements Refusal {}

        record Downgrade() implements Refusal {}
    }

    public Route {
        steps = List.copyOf(steps);
        forbidden = List.copyOf(forbidden);
    }

    /** Nothing is to be done. */
    static Route none() {
        return new Route(List.of(), List.of(), Optional.empty());
    }

    /**
     * Finds the route.
     *
     * @param members all running instances
     * @param target the version that Kubernetes is to have; etcd and the keeper have versions of their own, and kubelets already as
     *     new stay
     * @param changed components whose manifests differ in the target; the others get no step
     * @param changesKubelets whether a person does not have to
     */
    public static Route of(
            Collection<ClusterMember> members,
            KubernetesVersion target,
            Set<Component> changed,
            boolean changesKubelets,
            SkewPolicy policy) {
        Optional<Refusal> refusal = refusal(members, target, policy);
        if (refusal.isPresent()) {
            return new Route(List.of(), List.of(), refusal);
        }
        return new Walk(new Skew(policy), members, target, changesKubelets).steps(changed);
    }

    private static Optional<Refusal> refusal(
            Collection<ClusterMember> members, KubernetesVersion target, SkewPolicy policy) {
        List<KubernetesVersion> servers = members.stream()
                .filter(member -> member.component() == Component.API_SERVER)
                .map(ClusterMember::version)
                .sorted()
                .toList();
        if (servers.isEmpty()) {
            return Optional.empty();
        }
        if (target.minorVersion().compareTo(servers.getLast().minorVersion()) < 0) {
            return Optional.of(new Refusal.Downgrade());
        }
        KubernetesVersion oldest = servers.getFirst();
        if (target.major() != oldest.major() || target.minor() - oldest.minor() > policy.minorsAtOnce()) {
            List<KubernetesVersion> through = new ArrayList<>();
            for (int minor = oldest.minor() + policy.minorsAtOnce();
                    oldest.major() == target.major() && minor < target.minor();
                    minor += policy.minorsAtOnce()) {
                through.add(KubernetesVersion.of(target.major(), minor));
            }
            through.add(target);
            return Optional.of(new Refusal.Jump(List.copyOf(through)));
        }
        return Optional.empty();
    }

    /** Replaces instance after instance. */
    private static final class Walk {
        private final Skew skew;
        private final KubernetesVersion target;
        private final boolean changesKubelets;
        private final SortedSet<ClusterMember> members;
        private final List<PlanStep> steps = new ArrayList<>();
        private List<SkewPair> forbidden = List.of();

        Walk(Skew skew, Collection<ClusterMember> members, KubernetesVersion target, boolean changesKubelets) {
            this.skew = skew;
            this.members = new TreeSet<>(members);
            this.target = target;
            this.changesKubelets = changesKubelets;
        }

        Route steps(Set<Component> changed) {
            forbidden = skew.forbidden(members);
            plain(PlanStep.Kind.SNAPSHOT, "a snapshot of etcd is taken and verified: the way back");
            plain(PlanStep.Kind.IMAGES, "the images of " + target + " are on every node that will run them");
            plain(PlanStep.Kind.ASSETS, "the asset directory becomes the target's; what it was is kept beside it");
            plain(
                    PlanStep.Kind.SHARED_OBJECTS,
                    "Secrets, ConfigMaps and roles of the target are applied; old ones stay");
            if (changed.contains(Component.API_SERVER)) {
                places(Component.API_SERVER)
                        .forEach(place -> step(
                                PlanStep.Kind.API_SERVER,
                                place,
                                "the keeper proves kube-apiserver " + target
                                        + " beside the running one, then replaces it"));
            }
            rollout(PlanStep.Kind.CONTROLLER_MANAGER, Component.CONTROLLER_MANAGER, changed);
            rollout(PlanStep.Kind.SCHEDULER, Component.SCHEDULER, changed);
            rollout(PlanStep.Kind.PROXY, Component.PROXY, changed);
            if (changed.contains(Component.KEEPER)) {
                plain(PlanStep.Kind.KEEPER, "the keeper's DaemonSet becomes the target's");
            }
            plain(PlanStep.Kind.ADD_ONS, "add-ons of the asset directory are applied");
            plain(
                    PlanStep.Kind.ACCEPTANCE,
                    "what a user needs is tried: read, write, watch, a scheduled pod and its logs");
            kubelets();
            return new Route(steps, forbidden, Optional.empty());
        }

        private List<String> places(Component component) {
            return members.stream()
                    .filter(member -> member.component() == component)
                    .map(ClusterMember::place)
                    .distinct()
                    .sorted()
                    .toList();
        }

        private void rollout(PlanStep.Kind kind, Component component, Set<Component> changed) {
            if (changed.contains(component)) {
                step(kind, "", component.id() + " is rolled to " + target);
            }
        }

        /** Kubelets older than the target, oldest first; a command takes workers first among them. */
        private void kubelets() {
            members.stream()
                    .filter(member -> member.component() == Component.KUBELET
                            && member.version().compareTo(target) < 0)
                    .sorted(Comparator.comparing(ClusterMember::version).thenComparing(ClusterMember::place))
                    .toList()
                    .forEach(kubelet -> step(
                            PlanStep.Kind.KUBELET,
                            kubelet.place(),
                            "kubelet " + kubelet.version() + " is replaced by " + target));
        }

        private void plain(PlanStep.Kind kind, String what) {
            if (forbidden.isEmpty()) {
                steps.add(new PlanStep(kind, "", what, false, skew.pairs(members)));
            }
        }

        /** Replaces every instance of a component, or the one on a node, one after another: mixtures must be allowed as well. */
        private void step(PlanStep.Kind kind, String place, String what) {
            if (!forbidden.isEmpty()) {
                return;
            }
            Component component = Component.valueOf(kind.name());
            members.stream()
                    .filter(member -> member.component() == component
                            && (place.isEmpty() || member.place().equals(place)))
                    .toList()
                    .forEach(this::replace);
            if (forbidden.isEmpty()) {
                boolean isByHand = kind == PlanStep.Kind.KUBELET && !changesKubelets;
                steps.add(new PlanStep(kind, place, what, isByHand, skew.pairs(members)));
            }
        }

        private void replace(ClusterMember member) {
            if (forbidden.isEmpty()) {
                members.remove(member);
                members.add(member.at(target));
                forbidden = skew.forbidden(members);
            }
        }
    }
}
