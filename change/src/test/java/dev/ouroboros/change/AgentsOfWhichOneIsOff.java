package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;

/** Three workers with an agent each, whose DaemonSet replaces no pod by itself. */
final class AgentsOfWhichOneIsOff {
    private static final String POD = "/api/v1/namespaces/kube-system/pods/";
    private final FakeCluster cluster;
    final List<String> story = new ArrayList<>();
    private int generation = 1;

    AgentsOfWhichOneIsOff(FakeCluster cluster) {
        this.cluster = cluster;
        cluster.lists.put("/api/v1", json("{'resources': []}"));
        template(3);
        for (String worker : List.of("w1", "w2", "w3")) {
            boolean isOn = !worker.equals("w3");
            cluster.put(
                    "/api/v1/nodes/" + worker,
                    json("{'metadata': {'name': '" + worker + "'}, 'status': " + ready(isOn) + "}"));
            pod(worker, isOn);
        }
        cluster.templated = path -> {
            if (path.equals(CertifiedControlPlane.AGENT)) {
                generation++;
                story.add("template " + generation);
                template(0);
                Json.Fields off = (Json.Fields) cluster.read(POD + "agent-w3");
                Json ending =
                        ((Json.Fields) off.at("metadata")).with("deletionTimestamp", Json.text("2026-11-30T00:00:00Z"));
                cluster.put(POD + "agent-w3", off.with("metadata", ending));
            }
        };
        cluster.deleted = path -> {
            if (path.startsWith(POD)) {
                story.add(path.substring(POD.length()) + " of " + generation);
                pod(path.substring(path.length() - 2), true);
            }
        };
    }

    /** @param updated how many pods are of the template */
    private void template(int updated) {
        Json.Fields agent = (Json.Fields) cluster.read(CertifiedControlPlane.AGENT);
        Json.Fields metadata = ((Json.Fields) agent.at("metadata"))
                .with("uid", Json.text("agent"))
                .with("annotations", json("{'deprecated.daemonset.template.generation': '" + generation + "'}"));
        Json spec = ((Json.Fields) agent.at("spec")).with("updateStrategy", json("{'type': 'RollingUpdate'}"));
        Json status = json("{'observedGeneration': 1, 'desiredNumberScheduled': 3, 'updatedNumberScheduled': " + updated
                + ", 'numberReady': 2, 'numberAvailable': 2}");
        cluster.put(
                CertifiedControlPlane.AGENT,
                agent.with("metadata", metadata).with("spec", spec).with("status", status));
    }

    private static String ready(boolean isOn) {
        return "{'conditions': [{'type': 'Ready', 'status': '" + (isOn ? "True" : "Unknown") + "'}]}";
    }

    private void pod(String worker, boolean isOn) {
        cluster.put(
                POD + "agent-" + worker,
                json("{'metadata': {'name': 'agent-" + worker + "', 'labels': {'pod-template-generation': '"
                        + generation + "', 'controller-revision-hash': 'h" + generation
                        + "'}, 'ownerReferences': [{'uid': 'agent'}]}, 'spec': {'nodeName': '" + worker
                        + "'}, 'status': " + ready(isOn) + "}"));
    }
}
