package dev.ouroboros.model.manifest;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The URLs at which the API servers of a template look for etcd. */
public final class EtcdServersFlag {
    private static final String FLAG = "etcd-servers";

    private EtcdServersFlag() {}

    /**
     * Those of the template.
     *
     * @param daemonSet of the API server
     * @throws ProblemException UNSUPPORTED_CLUSTER when its flag cannot be set here
     */
    public static List<String> of(Json daemonSet) {
        CommandLine command = ComponentContainer.in(daemonSet.at("spec", "template", "spec"), Component.API_SERVER)
                .map(CommandLine::of)
                .orElseGet(() -> new CommandLine(List.of()));
        List<String> urls = command.value(FLAG).stream()
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .map(String::strip)
                .filter(url -> !url.isEmpty())
                .toList();
        if (urls.isEmpty() || command.isShell()) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "DaemonSet kube-system/kube-apiserver: --" + FLAG,
                    command.isShell() ? "is in the text of a shell" : "is not set",
                    "a flag of the container's command",
                    "set it by hand: kubectl -n kube-system edit daemonset kube-apiserver");
        }
        return urls;
    }

    /**
     * What the flag is to be: the client URLs of members, and other ports of their hosts that the API servers know already, as the second door of one.
     *
     * @param now the URLs of the template
     * @param members client URLs of those that are to be known
     */
    public static List<String> of(List<String> now, List<String> members) {
        Set<String> urls = new LinkedHashSet<>(members);
        Set<Optional<String>> hosts =
                members.stream().map(EtcdServersFlag::host).collect(Collectors.toSet());
        now.stream().filter(url -> hosts.contains(host(url))).forEach(urls::add);
        return List.copyOf(urls);
    }

    private static Optional<String> host(String url) {
        return Optional.ofNullable(URI.create(url).getHost());
    }

    /** The DaemonSet with these URLs in the place of its own. */
    public static Json.Fields with(Json daemonSet, List<String> urls) {
        Json.Fields set = (Json.Fields) daemonSet;
        Json.Fields spec = (Json.Fields) set.at("spec");
        Json.Fields template = (Json.Fields) spec.at("template");
        Json.Fields pod = (Json.Fields) template.at("spec");
        Json containers = Json.items(pod.at("containers").items().stream()
                .map(container -> ComponentContainer.of(container).equals(Optional.of(Component.API_SERVER))
                        ? with((Json.Fields) container, String.join(",", urls))
                        : container));
        return set.with("spec", spec.with("template", template.with("spec", pod.with("containers", containers))));
    }

    private static Json.Fields with(Json.Fields container, String value) {
        Json.Fields changed = container;
        for (String field : List.of("command", "args")) {
            List<Json> words = container.at(field).items();
            if (!words.isEmpty()) {
                changed = changed.with(field, new Json.Items(replaced(words, value)));
            }
        }
        return changed;
    }

    private static List<Json> replaced(List<Json> words, String value) {
        List<Json> replaced = new ArrayList<>();
        for (int at = 0; at < words.size(); at++) {
            String word = words.get(at).text().orElse("");
            if (word.startsWith("--" + FLAG + "=")) {
                replaced.add(Json.text("--" + FLAG + "=" + value));
            } else if (word.equals("--" + FLAG) && at + 1 < words.size()) {
                replaced.add(words.get(at));
                replaced.add(Json.text(value));
                at++;
            } else {
                replaced.add(words.get(at));
            }
        }
        return replaced;
    }
}
