package dev.ouroboros.model.manifest;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A file that a flag of a workload's program names, and the Secret that brings it.
 *
 * @param flag without its dashes
 * @param secret name of the Secret in the workload's namespace
 * @param key in the Secret's data
 */
public record MountedFile(String flag, String secret, String key) {

    /** The only file of a flag. */
    public static MountedFile one(Json workload, Component component, String flag) {
        List<MountedFile> all = all(workload, component, flag);
        if (all.size() != 1) {
            throw refused(workload, flag, "is given " + all.size() + " times", "once");
        }
        return all.getFirst();
    }

    /**
     * The files of a flag that may be given more than once.
     *
     * @param workload a DaemonSet or Deployment
     * @param component whose program has the flag
     * @throws ProblemException when one of them comes from elsewhere than a whole Secret volume: then it cannot be changed with the template
     */
    public static List<MountedFile> all(Json workload, Component component, String flag) {
        Json container = container(workload, component);
        List<MountedFile> files = new ArrayList<>();
        for (String path : CommandLine.of(container).values(flag)) {
            files.add(ofPath(workload, container, flag, path)
                    .orElseThrow(() -> refused(workload, flag, path + " is not a file of a Secret volume", "one")));
        }
        return files;
    }

    private static Json container(Json workload, Component component) {
        return ComponentContainer.in(workload.at("spec", "template", "spec"), component)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.UNSUPPORTED_CLUSTER,
                        nameOf(workload) + " spec.template.spec.containers",
                        "none runs " + component.id(),
                        "a container of that name",
                        "name the container that runs it " + component.id()));
    }

    private static Optional<MountedFile> ofPath(Json workload, Json container, String flag, String path) {
        return container.at("volumeMounts").items().stream()
                .filter(mount -> mount.at("subPath").isNull() && path.startsWith(text(mount, "mountPath") + "/"))
                .max(Comparator.comparingInt(mount -> text(mount, "mountPath").length()))
                .flatMap(mount -> workload.at("spec", "template", "spec", "volumes").items().stream()
                        .filter(volume -> volume.at("name").equals(mount.at("name")))
                        .findFirst()
                        .map(volume -> volume.at("secret"))
                        .filter(secret -> !secret.isNull())
                        .flatMap(secret -> keyOf(
                                        secret,
                                        path.substring(text(mount, "mountPath").length() + 1))
                                .map(key -> new MountedFile(flag, text(secret, "secretName"), key))));
    }

    private static Optional<String> keyOf(Json secret, String path) {
        List<Json> items = secret.at("items").items();
        return items.isEmpty()
                ? Optional.of(path)
                : items.stream()
                        .filter(item -> text(item, "path").equals(path))
                        .findFirst()
                        .map(item -> text(item, "key"));
    }

    /** The workload with another Secret wherever its template mounts this one as a volume. */
    public static Json.Fields withSecret(Json workload, String from, String to) {
        List<Json> volumes = workload.at("spec", "template", "spec", "volumes").items().stream()
                .map(volume -> volume.at("secret", "secretName").equals(Json.text(from))
                        ? set(volume, Json.text(to), "secret", "secretName")
                        : volume)
                .toList();
        return set(workload, new Json.Items(volumes), "spec", "template", "spec", "volumes");
    }

    private static Json.Fields set(Json value, Json part, String first, String... below) {
        Json.Fields fields = value instanceof Json.Fields known ? known : Json.object();
        if (below.length == 0) {
            return fields.with(first, part);
        }
        String[] rest = java.util.Arrays.copyOfRange(below, 1, below.length);
        return fields.with(first, set(fields.at(first), part, below[0], rest));
    }

    public static ProblemException refused(Json workload, String flag, String what, String expected) {
        return ProblemException.of(
                ErrorCode.UNSUPPORTED_CLUSTER,
                nameOf(workload) + " --" + flag,
                what,
                expected,
                "change the template by hand, in the steps that docs/change.md lists");
    }

    private static String nameOf(Json workload) {
        return text(workload.at("metadata"), "namespace") + "/" + text(workload.at("metadata"), "name");
    }

    private static String text(Json value, String field) {
        return value.at(field).text().orElse("");
    }
}
