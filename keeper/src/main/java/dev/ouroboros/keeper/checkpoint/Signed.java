package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.util.OptionalLong;

/**
 * A small file of ours: {@code {"format": 1, "content": ..., "digest": ...}}. What does not carry the digest of its content was
 * torn, or edited by hand; a later format is of a keeper that knows more than we do.
 */
final class Signed {
    private static final long FORMAT = 1;

    private Signed() {}

    /** What reading it gave. */
    sealed interface Reading {
        record Whole(Json content) implements Reading {}

        record Bad(Problem problem) implements Reading {}
    }

    static byte[] write(Json content) {
        return JsonText.write(Json.object()
                .with("format", Json.number(FORMAT))
                .with("content", content)
                .with("digest", Json.text(digest(content))));
    }

    /** @param where for the problem */
    static Reading read(byte[] text, String where) {
        Json file;
        try {
            file = JsonText.read(text);
        } catch (MalformedJson e) {
            return bad(where, "is torn or not ours: " + e.getMessage());
        }
        OptionalLong format = file.at("format").integer();
        if (format.isEmpty()) {
            return bad(where, "is not ours: it has no format");
        }
        if (format.getAsLong() != FORMAT) {
            return new Reading.Bad(new Problem(
                    ErrorCode.UNSUPPORTED_VERSION,
                    where,
                    "has format " + format.getAsLong(),
                    "format " + FORMAT,
                    "run the keeper that wrote it"));
        }
        Json content = file.at("content");
        boolean isWhole = file.at("digest").equals(Json.text(digest(content)));
        return isWhole
                ? new Reading.Whole(content)
                : bad(where, "was edited or is torn: its digest is of other content");
    }

    private static Reading bad(String where, String what) {
        return new Reading.Bad(new Problem(
                ErrorCode.EDITED_FILE,
                where,
                what,
                "a file as the keeper wrote it",
                "move it away if it is not needed"));
    }

    private static String digest(Json content) {
        return Content.of(JsonText.write(content)).digest();
    }
}
