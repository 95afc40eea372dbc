package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.PodFields.Part;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Conditions of a rule that the path of a field cannot express. Each check gives the paths of the fields that fail it. */
public enum PodCheck {
    /** Files that are saved become a hostPath, which cannot hold anything that is known only when the pod runs. */
    MIXED_PROJECTION {
        @Override
        Stream<String> findIn(Json pod, StaticPodRules rules) {
            return LocatedJson.volumesOf(pod).stream().flatMap(volume -> {
                List<LocatedJson> sources =
                        volume.at("projected").each("sources").toList();
                boolean isSaved = sources.stream()
                        .anyMatch(source -> source.at("secret").isPresent()
                                || source.at("configMap").isPresent());
                return sources.stream()
                        .map(source -> source.at("downwardAPI"))
                        .filter(source -> isSaved && source.isPresent())
                        .map(LocatedJson::path);
            });
        }
    },

    /** Ports of the node that the understudy cannot bind as well. For the control plane's programs we know the understudy's ports. */
    HOST_PORT {
        @Override
        Stream<String> findIn(Json pod, StaticPodRules rules) {
            if (UnderstudyPorts.annotation(pod).isPresent() || role(pod) == Role.KEEPER) {
                return Stream.of();
            }
            boolean isKnown = Component.of(role(pod)).isPresent();
            LocatedJson spec = LocatedJson.root(pod).at("spec");
            if (!isKnown && spec.value().at("hostNetwork").isTrue()) {
                return Stream.of(spec.at("hostNetwork").path());
            }
            Optional<LocatedJson> main = PodIdentity.mainContainer(pod, role(pod));
            return LocatedJson.containersOf(pod).stream()
                    .filter(container -> !main.equals(Optional.of(container)))
                    .flatMap(container -> container.each("ports"))
                    .map(port -> isKnown ? port : port.at("hostPort"))
                    .filter(port -> port.isPresent() && !port.value().equals(Json.number(0)))
                    .map(LocatedJson::path);
        }
    },

    UNDERSTUDY_PORTS {
        @Override
        Stream<String> findIn(Json pod, StaticPodRules rules) {
            return UnderstudyPorts.annotation(pod).filter(text -> !UnderstudyPorts.canBeFollowed(text, pod)).stream()
                    .map(_ -> "metadata.annotations[" + UnderstudyPorts.ANNOTATION + "]");
        }
    },

    SHELL {
        @Override
        Stream<String> findIn(Json pod, StaticPodRules rules) {
            return PodIdentity.mainContainer(pod, role(pod)).stream()
                    .filter(container -> CommandLine.of(container.value()).isShell())
                    .map(container -> container.at("command").path());
        }
    },

    /** In the host's network, a hook without a host calls the process that has the port: the principal. */
    LIFECYCLE_PORT {
        @Override
        Stream<String> findIn(Json pod, StaticPodRules rules) {
            if (!Understudy.usesHostNetwork(pod, role(pod))) {
                return Stream.of();
            }
            return LocatedJson.containersOf(pod).stream()
                    .flatMap(
                            container -> Stream.of("postStart", "preStop").map(hook -> container.at("lifecycle", hook)))
                    .flatMap(hook -> Stream.of("httpGet", "tcpSocket").map(hook::at))
                    .filter(LocatedJson::isPresent)
                    .map(LocatedJson::path);
        }
    },

    USER_NAMESPACE {
        @Override
        Stream<String> findIn(Json pod, StaticPodRules rules) {
            LocatedJson hostUsers = LocatedJson.root(pod).at("spec", "hostUsers");
            boolean isFalse = hostUsers.value().equals(Json.bool(false));
            return isFalse && Understudy.usesHostNetwork(pod, role(pod)) ? Stream.of(hostUsers.path()) : Stream.of();
        }
    },

    UNKNOWN_FIELD {
        @Override
        Stream<String> findIn(Json pod, StaticPodRules rules) {
            List<LocatedJson> containers = LocatedJson.containersOf(pod);
            List<LocatedJson> volumes = LocatedJson.volumesOf(pod);
            Stream<LocatedJson> variables = containers.stream().flatMap(container -> container.each("env"));
            return Stream.of(
                            unknown(Stream.of(LocatedJson.root(pod).at("spec")), Part.POD, rules),
                            unknown(containers.stream(), Part.CONTAINER, rules),
                            unknown(volumes.stream(), Part.VOLUME, rules),
                            unknown(
                                    volumes.stream()
                                            .flatMap(volume ->
                                                    volume.at("projected").each("sources")),
                                    Part.PROJECTION,
                                    rules),
                            unknown(variables.map(variable -> variable.at("valueFrom")), Part.ENV_SOURCE, rules),
                            unknown(
                                    containers.stream().flatMap(container -> container.each("envFrom")),
                                    Part.ENV_FROM_SOURCE,
                                    rules),
                            unknown(
                                    containers.stream().map(container -> container.at("lifecycle")),
                                    Part.LIFECYCLE,
                                    rules))
                    .flatMap(paths -> paths);
        }

        private Stream<String> unknown(Stream<LocatedJson> places, Part part, StaticPodRules rules) {
            PodFields known = rules.fieldsOf(part);
            return places.flatMap(place -> place.value().fields().keySet().stream()
                    .filter(field -> !known.knows(field))
                    .map(field -> place.at(field).path()));
        }
    };

    /** The paths of the fields that fail. */
    abstract Stream<String> findIn(Json pod, StaticPodRules rules);

    /** A template has no name yet: its containers tell the role. */
    private static Role role(Json pod) {
        return PodIdentity.roleOf(pod);
    }
}
