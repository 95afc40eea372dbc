package dev.ouroboros.model.problem;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/** What the operating system's refusal to read, write or look at a file means, and what helps against it. */
public final class FileTrouble {
    /** Of a directory that was to be made with all above it: nothing was there that is missing now. */
    public static final String NOT_CREATED = "cannot be created";

    private FileTrouble() {}

    /**
     * @param file which one; its path, or its name for people
     * @param what what was tried, as in {@code cannot be read}
     */
    public static ProblemException of(Object file, String what, IOException refusal) {
        return new ProblemException(
                new Problem(ErrorCode.DISK, file.toString(), what + ": " + reason(refusal), "", remedy(what, refusal)),
                refusal);
    }

    /** Why, in words: the message of some refusals is the path and nothing else. */
    public static String reason(IOException refusal) {
        String message = refusal.getMessage() == null ? refusal.getClass().getSimpleName() : refusal.getMessage();
        return switch (refusal) {
            case NoSuchFileException _ -> "no such file: " + message;
            case AccessDeniedException _ -> "permission denied: " + message;
            case NotDirectoryException _ -> "not a directory: " + message;
            case DirectoryNotEmptyException _ -> "not empty: " + message;
            default -> message;
        };
    }

    private static String remedy(String what, IOException refusal) {
        String said = String.valueOf(refusal.getMessage()).toLowerCase(Locale.ROOT);
        if (refusal instanceof NoSuchFileException && what.equals(NOT_CREATED)) {
            return "choose a place where a directory can be made, as /proc and /sys are none";
        }
        if (refusal instanceof NoSuchFileException) {
            return "put it back, and run the same command again";
        }
        if (refusal instanceof AccessDeniedException || said.contains("not permitted")) {
            return "run it as root (sudo ouro ...), or as the owner of the file";
        }
        if (said.contains("no space left") || said.contains("quota exceeded")) {
            return "make room there (df -h, df -i), and run the same command again";
        }
        if (said.contains("read-only file system")) {
            return "see why it is read-only (dmesg), and mount it for writing";
        }
        if (refusal instanceof FileAlreadyExistsException
                || refusal instanceof DirectoryNotEmptyException
                || refusal instanceof NotDirectoryException
                || said.endsWith("a directory")) {
            return "see what is in its place (ls -ld), and move that away";
        }
        return "see what the kernel says of the disk (dmesg), and run the same command again";
    }
}
