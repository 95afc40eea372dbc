package dev.ouroboros.runtime.cri;

import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import dev.ouroboros.runtime.problem.RuntimeProblems;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * {@link ContainerRuntime} through the Container Runtime Interface. Each question is a connection of its own: a local one costs
 * next to nothing, and a runtime that was restarted, or hung, is found again by the next question.
 *
 * <p>Field numbers are those of the public {@code runtime/v1/api.proto} of Kubernetes' cri-api.
 */
public final class CriRuntime implements ContainerRuntime {
    private final Path socket;
    private final Duration limit;
    private final RuntimeProblems problems;
    private final AtomicReference<CriVersion> version = new AtomicReference<>(CriVersion.V1);
    private final Exits exits = new Exits();

    /** @param limit for each question */
    public CriRuntime(Path socket, Duration limit) {
        this.socket = socket;
        this.limit = limit;
        this.problems = new RuntimeProblems(socket);
    }

    @Override
    public RuntimeVersion version() {
        return ask("its version", session -> {
            MessageReader response = session.call("RuntimeService/Version", new MessageWriter());
            String name = "";
            String runtimeVersion = "";
            while (response.next()) {
                switch (response.field()) {
                    case 2 -> name = response.text();
                    case 3 -> runtimeVersion = response.text();
                    default -> {}
                }
            }
            return new RuntimeVersion(name, runtimeVersion, version.get().label());
        });
    }

    @Override
    public List<RuntimePod> pods() {
        return ask("its pods", session -> {
            List<PodSandbox> sandboxes = new ArrayList<>();
            MessageReader pods = session.call("RuntimeService/ListPodSandbox", new MessageWriter());
            while (pods.next()) {
                if (pods.field() == 1) {
                    sandboxes.add(PodSandbox.read(pods.message()));
                }
            }
            Map<String, List<RuntimeContainer>> containers = containers(session);
            return sandboxes.stream()
                    .map(sandbox -> sandbox.with(containers.getOrDefault(sandbox.id(), List.of())))
                    .sorted(RuntimePod.ORDER)
                    .toList();
        });
    }

    /** By sandbox. */
    private Map<String, List<RuntimeContainer>> containers(CriSession session) throws IOException {
        List<ListedContainer> listed = new ArrayList<>();
        MessageReader response = session.call("RuntimeService/ListContainers", new MessageWriter());
        while (response.next()) {
            if (response.field() == 1) {
                listed.add(ListedContainer.read(response.message()));
            }
        }
        exits.keepOnly(listed);
        Map<String, List<RuntimeContainer>> bySandbox = new HashMap<>();
        for (ListedContainer container : listed) {
            bySandbox
                    .computeIfAbsent(container.sandboxId(), _ -> new ArrayList<>())
                    .add(container.with(exits.of(container, session)));
        }
        return bySandbox;
    }

    @Override
    public boolean hasImage(String reference) {
        return ask("the image " + reference, session -> {
            MessageWriter image = new MessageWriter().text(1, reference);
            MessageReader response = session.call("ImageService/ImageStatus", new MessageWriter().message(1, image));
            boolean found = false;
            while (response.next()) {
                found |= response.field() == 1;
            }
            return found;
        });
    }

    /** The references of each image, by its id: the kubelet names images to the runtime by that. */
    public Map<String, List<String>> imageReferences() {
        return ask("its images", session -> {
            Map<String, List<String>> references = new HashMap<>();
            MessageReader response = session.call("ImageService/ListImages", new MessageWriter());
            while (response.next()) {
                if (response.field() == 1) {
                    readImage(response.message(), references);
                }
            }
            return references;
        });
    }

    private static void readImage(MessageReader image, Map<String, List<String>> references) throws IOException {
        String id = "";
        List<String> tags = new ArrayList<>();
        while (image.next()) {
            switch (image.field()) {
                case 1 -> id = image.text();
                case 2 -> tags.add(image.text());
                default -> {}
            }
        }
        references.put(id, List.copyOf(tags));
    }

    private <T> T ask(String asked, Question<T> question) {
        try (CriSession session = CriSession.open(socket, version, limit)) {
            return question.ask(session);
        } catch (IOException e) {
            throw problems.of(asked, e);
        }
    }

    /** What is asked within one session. */
    private interface Question<T> {
        T ask(CriSession session) throws IOException;
    }
}
