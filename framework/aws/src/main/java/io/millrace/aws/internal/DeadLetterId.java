package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.internal.engine.Position;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What names a dead letter of a pipeline's current generation. As text: {@code STAGE/STREAM/SHARD/POSITION/PART}, none of
 * which can hold a slash.
 *
 * @param lane stream and shard
 * @param part a hash of the key, {@value #NO_KEY} for a record whose keys were not known, {@value #GAP} for a gap
 */
public record DeadLetterId(String stage, String lane, Position position, String part) {
    static final String NO_KEY = "no-key";
    static final String GAP = "gap";

    private static final Pattern PARTS = Pattern.compile("[0-9a-f]{16}|" + NO_KEY + "|" + GAP);
    private static final int PIECES = 5;

    /**
     * The id that {@link #toString} wrote.
     *
     * @throws MillraceException if it is none
     */
    public static DeadLetterId parse(String text) {
        String[] pieces = text.split("/", -1);
        if (pieces.length == PIECES && PARTS.matcher(pieces[PIECES - 1]).matches()) {
            try {
                return new DeadLetterId(
                        pieces[0], pieces[1] + "/" + pieces[2], Position.parse(pieces[3]), pieces[PIECES - 1]);
            } catch (MillraceException | IllegalArgumentException e) {
                throw notAnId(text, e);
            }
        }
        throw notAnId(text, null);
    }

    private static MillraceException notAnId(String text, @Nullable Exception cause) {
        return new MillraceException(
                "'" + text + "' is no id of a dead letter; one such as"
                        + " on-time/flights/shardId-000000000002/49590338271490256608/no-key is expected, as the list of"
                        + " dead letters shows it.",
                cause);
    }

    /** The id of an item, by its key. */
    public static DeadLetterId ofItem(Map<String, AttributeValue> item) {
        String partitionKey = Items.required(item, "pk").s();
        String sortKey = Items.required(item, "sk").s();
        String[] owner = partitionKey.split("#", 3);
        String[] place = sortKey.split("[.#]", 4);
        if (owner.length < 3 || place.length < 4) {
            throw new MillraceException("The dead letter " + partitionKey + " " + sortKey
                    + " cannot be read. Was its item written by something other than Millrace?");
        }
        int subSequence = Integer.parseInt(place[2]);
        return new DeadLetterId(
                owner[0],
                owner[2],
                Position.parse(subSequence == 0 ? place[1] : place[1] + ":" + subSequence),
                place[3]);
    }

    String stream() {
        return lane.substring(0, lane.indexOf('/'));
    }

    String shardId() {
        return lane.substring(lane.indexOf('/') + 1);
    }

    /** The key of its item. */
    Map<String, AttributeValue> itemKey(long generation) {
        return DeadLetterTable.key(stage, generation, lane, DeadLetterTable.sortKey(position) + part);
    }

    /** The key of a part of its payload. */
    Map<String, AttributeValue> payloadKey(long generation, int index) {
        return DeadLetterTable.key(
                stage, generation, lane, DeadLetterTable.sortKey(position) + part + DeadLetterTable.partSuffix(index));
    }

    @Override
    public String toString() {
        return stage + "/" + lane + "/" + position + "/" + part;
    }
}
