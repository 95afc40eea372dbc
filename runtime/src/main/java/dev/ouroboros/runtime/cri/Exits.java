package dev.ouroboros.runtime.cri;

import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimeContainer.Exit;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** How containers ended. A list does not say it; but it does not change either, so each container is asked for once. */
final class Exits {
    private final Map<String, Exit> known = new ConcurrentHashMap<>();

    /** Empty when the container has not ended, or was removed since it was listed. */
    Optional<Exit> of(ListedContainer container, CriSession session) throws IOException {
        if (container.state() != RuntimeContainer.State.EXITED) {
            return Optional.empty();
        }
        Exit exit = known.get(container.id());
        if (exit == null) {
            try {
                exit = read(
                        session.call("RuntimeService/ContainerStatus", new MessageWriter().text(1, container.id())));
            } catch (GrpcException e) {
                if (e.status() == GrpcStatus.NOT_FOUND) {
                    return Optional.empty();
                }
                throw e;
            }
            known.put(container.id(), exit);
        }
        return Optional.of(exit);
    }

    /** Forgets all that are not listed any more. */
    void keepOnly(Collection<ListedContainer> listed) {
        known.keySet().retainAll(listed.stream().map(ListedContainer::id).collect(Collectors.toSet()));
    }

    /** The message {@code ContainerStatusResponse}. */
    private static Exit read(MessageReader response) throws IOException {
        Exit exit = new Exit(0, Nanoseconds.toInstant(0), "");
        while (response.next()) {
            if (response.field() == 1) {
                exit = readStatus(response.message());
            }
        }
        return exit;
    }

    private static Exit readStatus(MessageReader status) throws IOException {
        long finishedAt = 0;
        long code = 0;
        String reason = "";
        while (status.next()) {
            switch (status.field()) {
                case 6 -> finishedAt = status.number();
                case 7 -> code = status.number();
                case 10 -> reason = status.text();
                default -> {}
            }
        }
        return new Exit((int) code, Nanoseconds.toInstant(finishedAt), reason);
    }
}
