package dev.ouroboros.cli.console;

import java.util.List;

/** Where progress for people goes. */
public interface Screen extends AutoCloseable {
    /** A line that stays. */
    void line(String text);

    /** What is going on until the next call; each line once, where nothing can be taken back. */
    void now(List<String> lines);

    @Override
    void close();
}
