package dev.ouroboros.model.checkpoint;

import java.util.List;

/**
 * A file of a saved volume as the kubelet would have made it: owned by root, its group the pod's fsGroup. The kubelet changes no
 * owner in a hostPath, but it gives fsGroup to every process as a further group, so that containers with different users
 * read the copy exactly as they read the original.
 *
 * @param volume name of the volume
 * @param path below the volume, with slashes
 * @param mode permission bits, with what fsGroup adds
 * @param group numeric id of the owning group
 */
public record SavedFile(String volume, String path, int mode, int group, Content content) {
    public SavedFile {
        if (!isName(volume)) {
            throw new IllegalArgumentException("'" + volume + "' names no volume");
        }
        if (!isPath(path)) {
            throw new IllegalArgumentException("'" + path + "' is no path below a volume");
        }
        if (mode < 0 || mode > 0777) {
            throw new IllegalArgumentException(Integer.toOctalString(mode) + " is no mode of a file");
        }
        if (group < 0) {
            throw new IllegalArgumentException(group + " is no group");
        }
    }

    static boolean isPath(String path) {
        return List.of(path.split("/", -1)).stream().allMatch(SavedFile::isName);
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.indexOf('/') < 0
                && name.indexOf(0) < 0;
    }
}
