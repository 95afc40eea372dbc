package dev.ouroboros.model.start;

import java.util.List;

/**
 * The Node of a machine that is started.
 *
 * @param registered whether the kubelet has created its Node
 * @param labelled whether the Node carries the control-plane label of its version
 * @param others names of other Nodes that carry it
 */
public record NodeView(boolean registered, boolean labelled, List<String> others) {
    public NodeView {
        others = List.copyOf(others);
    }
}
