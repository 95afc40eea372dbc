package dev.ouroboros.cli.snapshot;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Which workloads are the control plane's, where a cluster has several that could be. */
public final class WorkloadOptions {
    private static final String NAME = "--workload";

    @Option(
            names = NAME,
            paramLabel = "COMPONENT=NAMESPACE/NAME",
            description = {
                "What runs this component of the control plane, when several workloads run one: a second scheduler, the hosted control plane of another cluster.",
                "May be given several times, as in kube-scheduler=kube-system/kube-scheduler."
            })
    private Map<String, String> named = new TreeMap<>();

    /** @throws ProblemException BAD_USAGE for what is no component that can be recovered */
    public Map<Component, String> chosen() {
        Map<Component, String> chosen = new EnumMap<>(Component.class);
        named.forEach((id, workload) -> chosen.put(
                component(id)
                        .orElseThrow(() -> ProblemException.of(
                                ErrorCode.BAD_USAGE,
                                NAME,
                                id + " is no component that is recovered",
                                "one of "
                                        + Component.WITH_UNDERSTUDY.stream()
                                                .map(Component::id)
                                                .toList(),
                                "give it as in --workload kube-scheduler=kube-system/kube-scheduler")),
                workload));
        return chosen;
    }

    private static Optional<Component> component(String id) {
        return Component.ofId(id).filter(Component.WITH_UNDERSTUDY::contains);
    }
}
