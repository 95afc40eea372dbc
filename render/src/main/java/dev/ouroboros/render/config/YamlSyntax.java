package dev.ouroboros.render.config;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Checks that a file holds Kubernetes objects, without judging them. */
public final class YamlSyntax {
    private static final List<String> REQUIRED = List.of("apiVersion", "kind");

    private YamlSyntax() {}

    /** What is wrong with a file of one or more documents; empty documents are allowed. */
    public static List<Problem> check(String text, String file) {
        List<Problem> problems = new ArrayList<>();
        LoadSettings settings =
                LoadSettings.builder().setLabel(file).setUseMarks(true).build();
        try {
            for (Node document : new Compose(settings).composeAllFromString(text)) {
                if (!document.getTag().equals(Tag.NULL) && !isObject(document)) {
                    problems.add(problem(line(file, document), "is not a Kubernetes object"));
                }
            }
        } catch (MarkedYamlEngineException e) {
            String where = e.getProblemMark()
                    .map(mark -> file + ":" + (mark.getLine() + 1))
                    .orElse(file);
            problems.add(problem(where, "not YAML: " + e.getProblem()));
        } catch (YamlEngineException e) {
            problems.add(problem(file, "not YAML: " + e.getMessage()));
        }
        return problems;
    }

    private static boolean isObject(Node document) {
        return document instanceof MappingNode mapping
                && mapping.getValue().stream()
                        .map(NodeTuple::getKeyNode)
                        .map(key -> key instanceof ScalarNode name ? name.getValue() : "")
                        .toList()
                        .containsAll(REQUIRED);
    }

    private static String line(String file, Node node) {
        return node.getStartMark()
                .map(mark -> file + ":" + (mark.getLine() + 1))
                .orElse(file);
    }

    private static Problem problem(String where, String what) {
        return new Problem(
                ErrorCode.INVALID_CONFIG,
                where,
                what,
                "objects with apiVersion and kind",
                "mend that line, or take the file out of the directory");
    }
}
