package dev.ouroboros.runtime.cri;

/** Versions of the Container Runtime Interface. */
enum CriVersion {
    V1("runtime.v1"),
    V1ALPHA2("runtime.v1alpha2");

    private final String packageName;

    CriVersion(String packageName) {
        this.packageName = packageName;
    }

    /** Of the protobuf package, which is part of every method's name. */
    String packageName() {
        return packageName;
    }

    String label() {
        return packageName.substring(packageName.indexOf('.') + 1);
    }

    CriVersion other() {
        return this == V1 ? V1ALPHA2 : V1;
    }
}
