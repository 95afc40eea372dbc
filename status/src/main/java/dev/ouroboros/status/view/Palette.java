package dev.ouroboros.status.view;

import dev.ouroboros.status.model.ComponentHealth.Grade;

/** Colours for a terminal; none where the text goes elsewhere. */
public enum Palette {
    PLAIN {
        @Override
        String paint(Grade grade, String text) {
            return text;
        }
    },
    TERMINAL {
        @Override
        String paint(Grade grade, String text) {
            return "\u001b[" + colour(grade) + "m" + text + "\u001b[0m";
        }
    };

    abstract String paint(Grade grade, String text);

    private static int colour(Grade grade) {
        return switch (grade) {
            case GOOD -> 32;
            case MOVING, UNKNOWN -> 33;
            case BAD -> 31;
        };
    }
}
