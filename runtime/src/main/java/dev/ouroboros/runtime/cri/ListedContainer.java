package dev.ouroboros.runtime.cri;

import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.runtime.protobuf.MalformedMessageException;
import dev.ouroboros.runtime.protobuf.MessageReader;
import java.time.Instant;
import java.util.Optional;

/** The message {@code Container}, as much of it as is used. */
record ListedContainer(
        String id,
        String sandboxId,
        String name,
        int attempt,
        String image,
        RuntimeContainer.State state,
        Instant createdAt) {
    static ListedContainer read(MessageReader message) throws MalformedMessageException {
        String id = "";
        String sandboxId = "";
        String name = "";
        int attempt = 0;
        String image = "";
        long state = 0;
        long createdAt = 0;
        while (message.next()) {
            switch (message.field()) {
                case 1 -> id = message.text();
                case 2 -> sandboxId = message.text();
                case 3 -> {
                    MessageReader metadata = message.message();
                    while (metadata.next()) {
                        switch (metadata.field()) {
                            case 1 -> name = metadata.text();
                            case 2 -> attempt = (int) metadata.number();
                            default -> {}
                        }
                    }
                }
                case 4 -> image = readImageSpec(message.message());
                case 6 -> state = message.number();
                case 7 -> createdAt = message.number();
                default -> {}
            }
        }
        return new ListedContainer(
                id, sandboxId, name, attempt, image, stateOf(state), Nanoseconds.toInstant(createdAt));
    }

    private static String readImageSpec(MessageReader message) throws MalformedMessageException {
        String image = "";
        while (message.next()) {
            if (message.field() == 1) {
                image = message.text();
            }
        }
        return image;
    }

    private static RuntimeContainer.State stateOf(long number) {
        return switch ((int) number) {
            case 0 -> RuntimeContainer.State.CREATED;
            case 1 -> RuntimeContainer.State.RUNNING;
            case 2 -> RuntimeContainer.State.EXITED;
            default -> RuntimeContainer.State.UNKNOWN;
        };
    }

    RuntimeContainer with(Optional<RuntimeContainer.Exit> exit) {
        return new RuntimeContainer(name, image, state, attempt, createdAt, exit);
    }
}
