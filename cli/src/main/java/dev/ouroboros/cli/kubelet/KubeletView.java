package dev.ouroboros.cli.kubelet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The kubelets of a cluster for people and for programs. */
final class KubeletView {
    private KubeletView() {}

    static String text(List<NodeKubelet> nodes) {
        TextTable table = new TextTable("NODE", "VERSION", "STATE", "RUNS", "WISHED");
        for (NodeKubelet node : nodes) {
            table.row(node.name(), node.version(), state(node), running(node), wished(node));
        }
        StringBuilder text = new StringBuilder(table.toString());
        for (NodeKubelet node : nodes) {
            node.reportOf(node.wish())
                    .map(KubeletReport::message)
                    .filter(message -> !message.isEmpty())
                    .ifPresent(message -> text.append(node.name())
                            .append(": ")
                            .append(message)
                            .append('\n'));
        }
        return text.toString();
    }

    /** The state of a node's kubelet; unknown as long as its keeper or agent has not taken up the latest wish. */
    private static String state(NodeKubelet node) {
        return node.reportOf(node.wish()).map(report -> report.state().word()).orElse("Unknown");
    }

    private static String running(NodeKubelet node) {
        return node.report()
                .map(KubeletReport::running)
                .filter(name -> !name.isEmpty())
                .orElse("?");
    }

    private static String wished(NodeKubelet node) {
        return wish(node)
                .map(wish -> wish.isNothing() ? "-" : String.join(",", wish.settings()))
                .orElse("?");
    }

    private static Optional<KubeletWish> wish(NodeKubelet node) {
        try {
            return Optional.of(KubeletWish.read(node.wish()));
        } catch (MalformedJson e) {
            // The report says what is wrong with it.
            return Optional.empty();
        }
    }

    static ObjectNode data(List<NodeKubelet> nodes) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode all = data.putArray("nodes");
        for (NodeKubelet node : nodes) {
            ObjectNode one = all.addObject()
                    .put("node", node.name())
                    .put("version", node.version())
                    .put("state", state(node))
                    .put("running", running(node))
                    .put("wish", node.wish());
            node.reportOf(node.wish())
                    .ifPresent(report -> one.put("wanted", report.wanted()).put("message", report.message()));
        }
        return data;
    }

    static ObjectNode changed(Collection<String> nodes) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode all = data.putArray("nodes");
        nodes.forEach(all::add);
        return data;
    }

    static String changedText(Collection<String> nodes) {
        return "the kubelets of " + String.join(", ", nodes) + " run as is wished\n";
    }
}
