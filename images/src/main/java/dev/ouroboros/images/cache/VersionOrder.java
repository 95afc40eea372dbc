package dev.ouroboros.images.cache;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Orders {@code 1.9.0} before {@code 1.20.2}, and a pre-release before its release. */
public enum VersionOrder implements Comparator<String> {
    INSTANCE;

    @Override
    public int compare(String one, String other) {
        List<Integer> left = numbers(one);
        List<Integer> right = numbers(other);
        for (int index = 0; index < Math.min(left.size(), right.size()); index++) {
            int order = Integer.compare(left.get(index), right.get(index));
            if (order != 0) {
                return order;
            }
        }
        int order = Integer.compare(left.size(), right.size());
        if (order != 0) {
            return order;
        }
        boolean leftIsPreRelease = one.contains("-");
        boolean rightIsPreRelease = other.contains("-");
        return leftIsPreRelease == rightIsPreRelease ? one.compareTo(other) : leftIsPreRelease ? -1 : 1;
    }

    private static List<Integer> numbers(String version) {
        String release = version.contains("-") ? version.substring(0, version.indexOf('-')) : version;
        return Arrays.stream(release.split("\\."))
                .map(part -> part.matches("\\d{1,9}") ? Integer.parseInt(part) : 0)
                .toList();
    }
}
