package dev.ouroboros.render.understudy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import io.fabric8.kubernetes.api.model.Pod;

/** Static Pods as text. */
public final class PodYaml {
    private static final YAMLMapper MAPPER = YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            // A kubelet refuses a number where it wants a text, as in the value of an environment variable.
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build();

    private PodYaml() {}

    /**
     * Parses a Pod of an asset directory.
     *
     * @param file its name, for the message
     * @throws ProblemException INVALID_ASSET_DIRECTORY when it is not a Pod
     */
    public static Pod parse(String file, String text) {
        return parse(file, text, ErrorCode.INVALID_ASSET_DIRECTORY, "render the assets again (ouro render)");
    }

    /**
     * Parses a Pod.
     *
     * @param file its name, for the message
     * @param otherwise what helps when the file cannot be mended
     * @throws ProblemException with that code when it is not a Pod
     */
    public static Pod parse(String file, String text, ErrorCode code, String otherwise) {
        try {
            Pod pod = MAPPER.readValue(text, Pod.class);
            if (pod == null || !"Pod".equals(pod.getKind()) || pod.getMetadata() == null) {
                throw ProblemException.of(code, file, "is not a Pod", "a Pod", otherwise);
            }
            return pod;
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            throw new ProblemException(
                    new Problem(
                            code,
                            file + ":" + line,
                            "cannot be understood: " + e.getOriginalMessage(),
                            "a Pod in YAML or JSON",
                            "mend that line, or " + otherwise),
                    e);
        }
    }

    public static String write(Pod pod) {
        try {
            return MAPPER.writeValueAsString(pod);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a Pod can always be written", e);
        }
    }
}
