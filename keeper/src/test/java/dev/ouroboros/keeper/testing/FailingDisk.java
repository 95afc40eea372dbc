package dev.ouroboros.keeper.testing;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** A disk that can be full, or read-only: reading goes on, and nothing else does. */
public final class FailingDisk {
    private static final Set<String> READING =
            Set.of("read", "readText", "list", "status", "modifiedAt", "usableBytes", "toString");

    private final AtomicBoolean full = new AtomicBoolean();
    private final Disk disk;

    public FailingDisk(Disk real) {
        this.disk = (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (_, method, arguments) -> {
                    if (full.get() && !READING.contains(method.getName())) {
                        throw ProblemException.of(
                                ErrorCode.DISK, method.getName(), "No space left on device", "", "try again");
                    }
                    return invoke(real, method, arguments);
                });
    }

    private static Object invoke(Disk real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    public Disk disk() {
        return disk;
    }

    public void full(boolean isFull) {
        full.set(isFull);
    }
}
