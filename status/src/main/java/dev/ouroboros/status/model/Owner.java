package dev.ouroboros.status.model;

/** What makes a component run, and recreates it. */
public enum Owner {
    PROCESS("process", false),
    /** A process of which the Node says what it is to be, and which the node itself takes back: for people it is a process. */
    GUARDED_PROCESS("process", false),
    STATIC_POD("static pod", false),
    /** A static pod that the steward writes as its object wishes: for people it is a static pod. */
    MANAGED_STATIC_POD("static pod", true),
    DAEMON_SET("DaemonSet", true),
    DEPLOYMENT("Deployment", true),
    /** A pod from the API, as the container runtime says; it does not say who controls it. */
    API_POD("API pod", true),
    /** A static copy that the keeper made; its principal is not there. */
    UNDERSTUDY("understudy", true);

    private final String word;
    private final boolean selfHosted;

    Owner(String word, boolean selfHosted) {
        this.word = word;
        this.selfHosted = selfHosted;
    }

    public String word() {
        return word;
    }

    /** Whether it is changed through the API that it is part of. */
    public boolean isSelfHosted() {
        return selfHosted;
    }
}
